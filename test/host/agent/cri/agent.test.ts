/** Real agents on a real host run a Deployment's containers by a real containerd. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Node, Pod } from '../../../../shared/kube/types/core.ts';
import {
  type AgentHere,
  type ClusterHere,
  missingForCluster,
  startClusterHere,
} from '../../../support/agent/machines/cluster-here.ts';
import { type Containerd, SHELL_IMAGE, startContainerd } from '../../../support/cri/containerd.ts';
import { missingForContainerd } from '../../../support/cri/needs.ts';

const missing = missingForCluster() ?? missingForContainerd();
if (missing !== undefined && process.env['ROLLCALL_NO_SKIP']) throw new Error(missing);

const PATIENCE_MS = 180_000;
/** Enough for a network that is ready; the pods use that of the host. */
const LOOPBACK = { cniVersion: '0.4.0', name: 'lo', plugins: [{ type: 'loopback' }] };

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        hostNetwork: true,
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'c',
            image: SHELL_IMAGE,
            imagePullPolicy: 'Never',
            args: ['echo "on $NODE"; sleep 100000'],
            env: [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
            readinessProbe: { exec: { command: ['/bin/true'] }, periodSeconds: 1 },
          },
        ],
      },
    },
  },
};

const job = (name: string, script: string, { resources = {}, ...more }: Record<string, unknown> = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    hostNetwork: true,
    restartPolicy: 'Never',
    ...more,
    containers: [{ name: 'c', image: SHELL_IMAGE, imagePullPolicy: 'Never', args: [script], resources }],
  },
});

describe.skipIf(missing !== undefined)(`agents with a containerd${missing ? ` (${missing})` : ''}`, () => {
  let containerd: Containerd;
  let here: ClusterHere;
  let m1: AgentHere;

  const node = (name: string): Promise<Node> => here.host.get<Node>(`/api/v1/nodes/${name}`);
  const readyOf = ({ status }: Node) => status?.conditions?.find(({ type }) => type === 'Ready');
  const pod = async (name: string): Promise<Pod | undefined> =>
    (await here.host.pods()).find(({ metadata }) => metadata.name === name);
  const replicas = async (): Promise<readonly Pod[]> =>
    (await here.host.pods()).filter(({ metadata }) => metadata.labels?.['app'] === 'web');
  const isReady = ({ status }: Pod): boolean =>
    status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
  const idsOf = (pods: readonly Pod[]): ReadonlySet<string | undefined> =>
    new Set(pods.map((one) => statusOf(one)?.containerID));
  const statusOf = (one: Pod) =>
    (
      one.status?.['containerStatuses'] as readonly {
        containerID: string;
        restartCount: number;
        state: { terminated?: { exitCode: number; reason?: string } };
      }[]
    )?.[0];

  beforeAll(async () => {
    containerd = await startContainerd({ networks: { '10-loopback.conflist': LOOPBACK } });
    here = await startClusterHere();
    const flags = ['--container-runtime-endpoint', containerd.endpoint];
    m1 = here.agent('m1', { flags, config: ['resolvConf: /etc/resolv.conf'] });
    m1.start();
    const m2 = here.agent('m2', { flags });
    m2.start();
    for (const name of ['m1', 'm2'])
      await here.seen(
        `${name} is ready`,
        PATIENCE_MS,
        async () => readyOf(await node(name))?.status === 'True',
      );
  }, 3 * PATIENCE_MS);

  afterAll(async () => {
    await here?.close();
    await containerd?.close();
  }, PATIENCE_MS);

  it('are nodes that tell their runtime', async () => {
    const { status } = await node('m1');
    expect(status?.['nodeInfo']).toMatchObject({
      containerRuntimeVersion: expect.stringMatching(/^containerd:\/\/\d/),
    });
  });

  it(
    'run the containers of a Deployment, each its own',
    async () => {
      await here.apply(deployment);
      const pods = await here.seen('both replicas are ready', PATIENCE_MS, async () => {
        const all = await replicas();
        return all.length === 2 && all.every(isReady) && all;
      });
      expect(new Set(pods.map(({ spec }) => spec.nodeName))).toEqual(new Set(['m1', 'm2']));
      for (const one of pods) {
        expect(statusOf(one)?.containerID).toMatch(/^containerd:/);
        expect(one.status?.['podIP']).toBe(one.status?.['hostIP']);
      }
    },
    2 * PATIENCE_MS,
  );

  it(
    'tell exit codes, and that a container has had too much memory',
    async () => {
      await here.apply(
        job('fails', 'exit 3'),
        job('greedy', 'tail /dev/zero', { resources: { limits: { memory: '16Mi' } } }),
      );
      for (const [name, end] of [
        ['fails', { exitCode: 3, reason: 'Error' }],
        ['greedy', { exitCode: 137, reason: 'OOMKilled' }],
      ] as const) {
        // containerd may tell of the end before it tells of its reason.
        const state = await here.seen(`${name} has failed for its reason`, PATIENCE_MS, async () => {
          const found = await pod(name);
          const { terminated } = found ? (statusOf(found)?.state ?? {}) : {};
          return found?.status?.phase === 'Failed' && terminated?.reason === end.reason && terminated;
        });
        expect(state).toMatchObject(end);
        expect(await here.kubectl('get', 'pod', name)).toMatch(
          new RegExp(`^${name} +0/1 +${end.reason} +0 `, 'm'),
        );
      }
    },
    2 * PATIENCE_MS,
  );

  it(
    'take up what runs when they are started again',
    async () => {
      const before = idsOf(await replicas());
      await m1.process().end('SIGKILL');
      m1.start();
      // On the node whose agent was started again: the other one would run it at once.
      await here.apply(job('after', 'exit 0', { nodeName: 'm1' }));
      await here.seen(
        'the next pod has run',
        PATIENCE_MS,
        async () => (await pod('after'))?.status?.phase === 'Succeeded',
      );
      expect(idsOf(await replicas())).toEqual(before);
    },
    2 * PATIENCE_MS,
  );

  it(
    'are not ready while the runtime is away, and lose no container by that',
    async () => {
      const before = idsOf(await replicas());
      await containerd.kill();
      // It may not be ready yet, for another reason, because it has just been started.
      const away = await here.seen('m1 says that the runtime is down', PATIENCE_MS, async () => {
        const condition = readyOf(await node('m1'));
        return condition?.message?.includes('container runtime is down') && condition;
      });
      expect(away).toMatchObject({ status: 'False', reason: 'KubeletNotReady' });
      expect(m1.process().output()).toMatch(/does not answer: the agent waits for it/);
      await containerd.start();
      await here.seen(
        'm1 is ready again',
        PATIENCE_MS,
        async () => readyOf(await node('m1'))?.status === 'True',
      );
      const after = await here.seen('both replicas are ready', PATIENCE_MS, async () => {
        const all = await replicas();
        return all.every(isReady) && all;
      });
      expect(idsOf(after)).toEqual(before);
      expect(after.map((one) => statusOf(one)?.restartCount)).toEqual([0, 0]);
    },
    4 * PATIENCE_MS,
  );

  it(
    'end pods that are deleted, and leave nothing of them',
    async () => {
      await here.kubectl('delete', 'deployment', 'web');
      await here.kubectl('delete', 'pod', 'fails', 'greedy', 'after');
      await here.seen('no pod is left', PATIENCE_MS, async () => (await here.host.pods()).length === 0);
      await here.seen('no sandbox is left', PATIENCE_MS, async () => {
        const { items } = await containerd.client.runtime.listPodSandbox({});
        return items.length === 0;
      });
    },
    2 * PATIENCE_MS,
  );
});
