/** A real agent whose machine is a control group with a limit runs short of memory. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findCgroups } from '../../../../agent/adapters/linux/groups/cgroups.ts';
import type { Node, Pod } from '../../../../shared/kube/types/core.ts';
import { removeTrees } from '../../../support/agent/machines/agent-process.ts';
import {
  type AgentHere,
  type ClusterHere,
  missingForCluster,
  startClusterHere,
} from '../../../support/agent/machines/cluster-here.ts';
import { missingForGroups } from '../../../support/agent/machines/runtime-machine.ts';

const MI = 2 ** 20;
const LIMIT_MI = 400;
/** Pods are evicted when less than this is left. */
const THRESHOLD_MI = 200;
const GROUP = `/rollcall-evictions-${process.pid}`;
const PATIENCE_MS = 60_000;
const TAINT = 'node.kubernetes.io/memory-pressure';

const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const missing = missingForCluster() ?? missingForGroups();
if (missing !== undefined) process.stdout.write(`skipped: evictions by a real agent: ${missing}\n`);

const makeGroup = (): void => {
  const mount = findCgroups().mounts.memory;
  if (!mount) throw new Error('there are no control groups for memory');
  mkdirSync(join(mount.mountPoint, GROUP));
  const limit = mount.version === 'v2' ? 'memory.max' : 'memory.limit_in_bytes';
  writeFileSync(join(mount.mountPoint, GROUP, limit), String(LIMIT_MI * MI));
};

interface Hog {
  readonly takesMi: number;
  readonly requestMi: number;
  readonly priorityClassName: string;
}

/** `tail` keeps a line until it is over. */
const podOf = (name: string, { takesMi, requestMi, priorityClassName }: Hog) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    priorityClassName,
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 1,
    containers: [
      {
        name: 'c',
        image: 'host',
        command: ['/bin/sh', '-c', `(head -c ${takesMi * MI} /dev/zero; exec sleep 1000) | tail -n 1`],
        resources: { requests: { memory: `${requestMi}Mi` } },
      },
    ],
  },
});

const priorityClass = (name: string, value: number) => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value,
});

describe.runIf(missing === undefined || isComplete)(
  'an agent whose machine is a control group with a limit',
  { timeout: 3 * PATIENCE_MS },
  () => {
    let here: ClusterHere;
    let agent: AgentHere;

    const pod = (name: string) => here.host.get<Pod>(`/api/v1/namespaces/default/pods/${name}`);
    const node = () => here.host.get<Node>('/api/v1/nodes/small');
    const condition = async (type: string) =>
      (await node()).status?.conditions?.find((one) => one.type === type);
    const isTainted = async (): Promise<boolean> =>
      (await node()).spec?.taints?.some(({ key }) => key === TAINT) ?? false;
    const runs = (name: string) =>
      here.seen(`${name} runs`, PATIENCE_MS, async () => (await pod(name)).status?.phase === 'Running');

    beforeAll(async () => {
      expect(missing).toBeUndefined();
      makeGroup();
      here = await startClusterHere();
      agent = here.agent('small', {
        cgroupRoot: GROUP,
        config: [
          `evictionHard: { memory.available: ${THRESHOLD_MI}Mi }`,
          'evictionPressureTransitionPeriod: 15s',
          'nodeStatusUpdateFrequency: 1s',
        ],
      });
      agent.start();
      await here.seen(
        'the node is ready',
        PATIENCE_MS,
        async () => (await condition('Ready'))?.status === 'True',
      );
      await here.apply(priorityClass('low', 1), priorityClass('high', 1000));
    }, 2 * PATIENCE_MS);

    afterAll(async () => {
      await here.close();
      await removeTrees(GROUP);
    }, PATIENCE_MS);

    it('has the memory of its group', async () => {
      const { capacity } = (await node()).status ?? {};
      expect(capacity?.['memory']).toBe(`${LIMIT_MI}Mi`);
    });

    it('evicts the least important pod of those that use more than they ask for, and says so', async () => {
      await here.apply(podOf('modest', { takesMi: 60, requestMi: 90, priorityClassName: 'low' }));
      await here.apply(podOf('important', { takesMi: 90, requestMi: 20, priorityClassName: 'high' }));
      await runs('modest');
      await runs('important');
      await here.apply(podOf('greedy', { takesMi: 70, requestMi: 30, priorityClassName: 'low' }));
      await here.seen(
        'a pod is evicted',
        PATIENCE_MS,
        async () => (await pod('greedy')).status?.['reason'] === 'Evicted',
      );
      const { status } = await pod('greedy');
      // A whole number of Mi is written as such.
      expect(status).toMatchObject({
        phase: 'Failed',
        message: expect.stringMatching(
          /^The node was low on resource: memory\. Threshold quantity: 200Mi, available: \d+[KM]i\. Container c was using \d+[KM]i, request is 30Mi, has larger consumption of memory\. $/,
        ),
      });
      expect(status?.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
        status: 'True',
        reason: 'TerminationByKubelet',
        message: status?.['message'],
      });
      // What kubectl prints of a pod whose container has ended is the container's reason.
      const lines = (await here.kubectl('get', 'pods', '--no-headers')).trim().split('\n');
      expect(lines.map((line) => line.split(/\s+/).slice(0, 3))).toEqual([
        ['greedy', '0/1', 'Error'],
        ['important', '1/1', 'Running'],
        ['modest', '1/1', 'Running'],
      ]);
    });

    it('shows the pressure at its Node, and takes no new pods', async () => {
      const described = await here.kubectl('describe', 'pod', 'greedy');
      expect(described).toMatch(/\nReason: +Evicted\nMessage: +The node was low on resource: memory\./);
      expect(described).toMatch(/Warning +Evicted .*The node was low on resource: memory\./);
      await here.seen('the taint', PATIENCE_MS, isTainted);
      expect(await condition('MemoryPressure')).toMatchObject({
        status: 'True',
        reason: 'KubeletHasInsufficientMemory',
        message: 'kubelet has insufficient memory available',
      });
      expect(await here.kubectl('get', 'events')).toMatch(
        /EvictionThresholdMet\s+node\/small\s+Attempting to reclaim memory/,
      );
    });

    it('has no pressure any more some time after the pod went', async () => {
      await here.seen('no taint', PATIENCE_MS, async () => !(await isTainted()));
      expect(await condition('MemoryPressure')).toMatchObject({
        status: 'False',
        reason: 'KubeletHasSufficientMemory',
      });
      expect((await pod('modest')).status?.phase).toBe('Running');
      expect((await pod('important')).status?.phase).toBe('Running');
    });
  },
);
