/** Programs without any right that make their outputs terabytes long: the agent goes on. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../../shared/kube/types/core.ts';
import {
  type AgentHere,
  type ClusterHere,
  missingForCluster,
  startClusterHere,
} from '../support/agent/machines/cluster-here.ts';
import { SPARSE_BYTES } from '../support/agent/machines/hostile-files.ts';
import { watchHealth } from './health.ts';

const PATIENCE_MS = 60_000;
const missing = missingForCluster();
if (missing !== undefined) process.stdout.write(`skipped: hostile outputs: ${missing}\n`);

const podOf = (name: string, script: string, more = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    nodeName: 'm1',
    terminationGracePeriodSeconds: 1,
    automountServiceAccountToken: false,
    restartPolicy: 'Never',
    containers: [
      {
        name: 'c',
        image: 'host',
        command: ['/bin/sh', '-c', script],
        securityContext: {
          runAsUser: 1500,
          runAsGroup: 1500,
          runAsNonRoot: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
        },
        ...more,
      },
    ],
  },
});

const LONG = `truncate --size=${SPARSE_BYTES}`;
/** `truncate` opens its file anew, which belongs to the agent; `perl` has it open. */
const LONG_LOG = `perl -e 'truncate(STDOUT, ${SPARSE_BYTES}) or die $!'`;

describe.runIf(missing === undefined)('programs whose outputs are too long', { timeout: 180_000 }, () => {
  let here: ClusterHere;
  let agent: AgentHere;
  let answeredInTime: () => Promise<void>;

  const statusOf = async (name: string): Promise<Pod['status']> =>
    (await here.host.get<Pod>(`/api/v1/namespaces/default/pods/${name}`)).status;
  const reaches = (name: string, phase: string) =>
    here.seen(`${name} is ${phase}`, PATIENCE_MS, async () => (await statusOf(name))?.phase === phase);
  const logOf = async (name: string): Promise<string> => {
    const { metadata } = await here.host.get<Pod>(`/api/v1/namespaces/default/pods/${name}`);
    return join(agent.root, '..', 'logs', `default_${name}_${metadata.uid}`, 'c', '0.log');
  };

  beforeAll(async () => {
    here = await startClusterHere();
    agent = here.agent('m1', { config: ['containerLogMonitorInterval: 3s', 'containerLogMaxSize: 1Mi'] });
    agent.start();
    await here.seen('it has joined', PATIENCE_MS, async () => (await here.host.nodes()).length === 1);
    answeredInTime = await watchHealth(here, agent);
  }, 90_000);

  afterAll(() => here.close());

  it('a log is read, rotated and removed, and other pods start meanwhile', async () => {
    await here.apply(podOf('long', `echo begin; ${LONG_LOG}; echo; echo end; exec sleep 1000`));
    await reaches('long', 'Running');
    const path = await logOf('long');
    await here.seen('the log is long', PATIENCE_MS, async () => statSync(path).size > SPARSE_BYTES);
    expect(await here.kubectl('logs', 'long', '--tail=1')).toBe('end\n');
    await here.seen('it was rotated', PATIENCE_MS, async () => statSync(path).blocks * 512 < 2 ** 20);
    await here.apply(podOf('other', 'echo here; exec sleep 1000'));
    await reaches('other', 'Running');
    expect(await here.kubectl('logs', 'other')).toBe('here\n');
    await here.kubectl('delete', 'pod', 'long', '--timeout=60s');
  });

  it('a last message, or a log in its place, is cut', async () => {
    const fallback = { terminationMessagePolicy: 'FallbackToLogsOnError' };
    await here.apply(
      podOf('message', `${LONG} /dev/termination-log; echo last >> /dev/termination-log; exit 1`),
      podOf('words', `${LONG_LOG}; echo last; exit 1`, fallback),
    );
    for (const [name, most] of [
      ['message', 4096],
      ['words', 2048],
    ] as const) {
      await reaches(name, 'Failed');
      const [container] = ((await statusOf(name))?.['containerStatuses'] ?? []) as readonly {
        readonly state: { readonly terminated: { readonly message: string } };
      }[];
      const { message = '' } = container?.state.terminated ?? {};
      expect(message).toMatch(/last\n?$/);
      expect(message.length).toBeLessThanOrEqual(most);
    }
    await here.kubectl('delete', 'pod', '--all', '--timeout=60s');
  });

  it('the agent has answered for its health all the time', () => answeredInTime());
});
