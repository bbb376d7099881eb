/** Programs without any right that make their outputs terabytes long: the agent goes on. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
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
import { missingForBundles } from '../support/agent/oci/bundle-machine.ts';
import { ENEMY } from '../support/agent/trees/foreign-files.ts';
import { watchHealth } from './health.ts';

const PATIENCE_MS = 60_000;
const missing = missingForCluster() ?? missingForBundles();
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
          runAsUser: ENEMY,
          runAsGroup: ENEMY,
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
const LONG_LOG = `truncate(STDOUT, ${SPARSE_BYTES}) or die "refused: $!\\n"`;
/** A line of 32 MiB, and then another. */
const WIDE_LOG = "head -c 33554432 /dev/zero | tr '\\0' x; echo; echo last";
const MOST_LOG = 2 ** 20;
/** Of the log that is written, beside which stand those that were rotated. */
const MOST_UNROTATED = 4 * MOST_LOG;

describe.runIf(missing === undefined)('programs whose outputs are too long', { timeout: 180_000 }, () => {
  let here: ClusterHere;
  let agent: AgentHere;
  let answeredInTime: () => Promise<void>;

  const statusOf = async (name: string): Promise<Pod['status']> =>
    (await here.host.get<Pod>(`/api/v1/namespaces/default/pods/${name}`)).status;
  const reaches = (name: string, phase: string) =>
    here.seen(`${name} is ${phase}`, PATIENCE_MS, async () => (await statusOf(name))?.phase === phase);
  const logsOf = async (name: string): Promise<string> => {
    const { metadata } = await here.host.get<Pod>(`/api/v1/namespaces/default/pods/${name}`);
    return join(agent.root, '..', 'logs', `default_${name}_${metadata.uid}`, 'c');
  };

  beforeAll(async () => {
    here = await startClusterHere();
    agent = here.agent('m1', {
      config: ['containerLogMonitorInterval: 3s', 'containerLogMaxSize: 1Mi'],
    });
    agent.start();
    await here.seen('it has joined', PATIENCE_MS, async () => (await here.host.nodes()).length === 1);
    answeredInTime = await watchHealth(here, agent);
  }, 90_000);

  afterAll(() => here.close());

  it('a log is as long as a program likes that has it as its own output', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rollcall-weak-log-'));
    const log = openSync(join(folder, '0.log'), 'a', 0o600);
    const child = spawn('perl', ['-e', LONG_LOG], {
      uid: ENEMY,
      gid: ENEMY,
      stdio: ['ignore', log, 'inherit'],
    });
    expect((await once(child, 'exit'))[0]).toBe(0);
    closeSync(log);
    expect(statSync(join(folder, '0.log')).size).toBe(SPARSE_BYTES);
    rmSync(folder, { recursive: true });
  });

  it('a log is no output of a program, which makes it no longer than what it writes', async () => {
    await here.apply(podOf('long', `echo begin; perl -e '${LONG_LOG}'; echo end; exec sleep 1000`));
    await here.seen('it has tried', PATIENCE_MS, async () =>
      (await here.kubectl('logs', 'long').catch(() => '')).includes('end'),
    );
    expect(await here.kubectl('logs', 'long')).toMatch(/^begin\nrefused: .+\nend\n$/);
    expect(statSync(join(await logsOf('long'), '0.log')).size).toBeLessThan(1024);
  });

  it('a flood is rotated and cut, other pods start meanwhile, and the logs go with the pod', async () => {
    await here.apply(podOf('flood', 'exec yes and so on'));
    await reaches('flood', 'Running');
    const folder = await logsOf('flood');
    await here.seen('it was rotated', PATIENCE_MS, async () => readdirSync(folder).length > 2);
    await here.apply(podOf('other', 'echo here; exec sleep 1000'));
    await reaches('other', 'Running');
    expect(await here.kubectl('logs', 'other')).toBe('here\n');
    expect(statSync(join(folder, '0.log')).size).toBeLessThanOrEqual(MOST_UNROTATED);
    // It ends, though the program writes on. The last record may be a part of a line: what conmon has read at once.
    const last = await here.kubectl('logs', 'flood', '--tail=1');
    expect(last).not.toBe('');
    expect('and so on\n').toContain(last);
    await here.kubectl('delete', 'pod', 'flood', 'long', '--timeout=60s');
    expect(existsSync(folder)).toBe(false);
  });

  it('a last message, or a log in its place, is cut', async () => {
    const fallback = { terminationMessagePolicy: 'FallbackToLogsOnError' };
    await here.apply(
      podOf('message', `${LONG} /dev/termination-log; echo last >> /dev/termination-log; exit 1`),
      podOf('words', `${WIDE_LOG}; exit 1`, fallback),
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
