/** A machine that is given more than it can hold: what fits runs, the rest is told why not, and the node lives. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Node, Pod } from '../../../../shared/kube/types/core.ts';
import {
  type ClusterHere,
  missingForCluster,
  startClusterHere,
} from '../../../support/agent/machines/cluster-here.ts';

const PATIENCE_MS = 60_000;
const MOST_PODS = 6;
const MOST_PROCESSES = 40;
const PODS = '/api/v1/namespaces/default/pods';
const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const missing = missingForCluster();
if (missing !== undefined) process.stdout.write(`skipped: more than a machine can hold: ${missing}\n`);

describe.runIf(missing === undefined || isComplete)(
  'more than a machine can hold',
  { timeout: 120_000 },
  () => {
    let here: ClusterHere;
    const podOf = (name: string, command: readonly string[], more: object = {}, spec: object = {}) => ({
      metadata: { name },
      spec: {
        nodeName: 'm1',
        terminationGracePeriodSeconds: 1,
        ...spec,
        containers: [{ name: 'c', image: 'host', command, ...more }],
      },
    });
    const send = (...args: Parameters<typeof podOf>) => here.host.send('POST', PODS, podOf(...args));
    const pod = (name: string) => here.host.get<Pod>(`${PODS}/${name}`);
    const runs = (name: string) =>
      here.seen(`${name} runs`, PATIENCE_MS, async () => (await pod(name)).status?.phase === 'Running');
    const remove = (name: string) => here.kubectl('delete', 'pod', name, '--timeout=60s');
    const isReady = async (): Promise<boolean> => {
      const { status } = await here.host.get<Node>('/api/v1/nodes/m1');
      return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
    };

    beforeAll(async () => {
      expect(missing).toBeUndefined();
      here = await startClusterHere();
      const config = [`maxPods: ${MOST_PODS}`, `podPidsLimit: ${MOST_PROCESSES}`];
      here.agent('m1', { config }).start();
      await here.seen('it is ready', PATIENCE_MS, () => isReady().catch(() => false));
    }, 120_000);

    afterAll(() => here.close());

    it('a pod that makes processes without end has only so many, and others run', async () => {
      await send('bomb', ['sh', '-c', '(while :; do sleep 1000 & done) 2>/dev/null; sleep 1000']);
      await runs('bomb');
      await send('witness', ['sleep', '1000']);
      await runs('witness');
      expect(await isReady()).toBe(true);
      const { uid = '' } = (await pod('bomb')).metadata;
      const inPod = (pid: string): boolean => {
        try {
          return readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes(uid);
        } catch {
          return false;
        }
      };
      const count = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && inPod(name)).length;
      expect(count).toBeGreaterThan(MOST_PROCESSES / 2);
      expect(count).toBeLessThanOrEqual(MOST_PROCESSES);
      for (const name of ['bomb', 'witness']) await remove(name);
    });

    it('a container with too long a variable says which, and starts nothing', async () => {
      await send('wordy', ['true'], { env: [{ name: 'TALE', value: 'x'.repeat(200_000) }] });
      const waiting = await here.seen('it waits', PATIENCE_MS, async () => {
        const statuses = (await pod('wordy')).status?.['containerStatuses'] as
          | readonly { readonly state?: { readonly waiting?: { readonly message?: string } } }[]
          | undefined;
        const found = statuses?.[0]?.state?.waiting;
        return found?.message !== undefined && found;
      });
      expect(waiting).toMatchObject({
        reason: 'RunContainerError',
        message: expect.stringContaining('the environment variable TALE has 200005 bytes'),
      });
      await remove('wordy');
    });

    it('pods that are bound beyond its number are refused by name, and those that fit run', async () => {
      const names = Array.from({ length: 30 }, (_, index) => `p${index}`);
      await Promise.all(names.map((name) => send(name, ['sleep', '1000'])));
      const phases = await here.seen('each has run or was refused', PATIENCE_MS, async () => {
        const all = await here.host.pods();
        return all.every(({ status }) => status?.phase !== 'Pending') && all;
      });
      const reasons = phases.map(({ status }) => [status?.phase, status?.['reason']].join(' '));
      expect(reasons.filter((one) => one === 'Running ')).toHaveLength(MOST_PODS);
      expect(reasons.filter((one) => one === 'Failed OutOfpods')).toHaveLength(30 - MOST_PODS);
      expect(await isReady()).toBe(true);
    });
  },
);
