// The control plane in virtual time, with nodes whose kubelets run and stop pods, ReplicaSets, budgets and drains.

import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import type { PodDisruptionBudgetSpec } from '../../../shared/kube/types/policy.ts';
import { toTime } from '../../../shared/kube/values/time.ts';
import { liveRow, nodeKey } from '../../../shared/ports/store/rows.ts';
import type { DrainRequest } from '../../../shared/rules/drain/drain-request.ts';
import { withDrainRequest } from '../../../shared/rules/drain/node-drain.ts';
import { isPodReady } from '../../../shared/rules/pods/pod-conditions.ts';
import type { ControlPlaneOptions } from '../../../simulation/plane/control-plane-types.ts';
import { runningPod } from '../objects/running-pod.ts';
import { beat } from './fleet.ts';
import { aWorkloadPlane } from './workload-plane.ts';

const SECOND = 1_000;
const HOST = 'kubernetes.io/hostname';

type Plane = Awaited<ReturnType<typeof aWorkloadPlane>>;

const nodeOf = (name: string, now: number): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, uid: `uid-${name}-${now}`, creationTimestamp: toTime(now), labels: { [HOST]: name } },
  spec: {},
  status: {
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: toTime(now), reason: 'KubeletReady' }],
    allocatable: { cpu: '64', memory: '64Gi', pods: '110' },
    capacity: { cpu: '64', memory: '64Gi', pods: '110' },
  },
});

const replicaSet = (name: string, replicas: number, spec: object): ApiObject =>
  ({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { namespace: 'default', name, uid: `uid-${name}`, generation: 1 },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'c', image: 'img:1' }], ...spec },
      },
    },
  }) as ApiObject;

const budget = (name: string, spec: PodDisruptionBudgetSpec): ApiObject =>
  ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { namespace: 'default', name, uid: `uid-budget-${name}`, generation: 1 },
    spec: { selector: { matchLabels: { app: name } }, ...spec },
  }) as ApiObject;

/** What the kubelets do with one pod. */
const serve = async ({ change, clock }: Plane, pod: Pod): Promise<void> => {
  const { name, deletionTimestamp } = pod.metadata;
  if (!pod.spec.nodeName) return;
  if (deletionTimestamp !== undefined) await change('pods', name, () => 'delete');
  else if (!isPodReady(pod)) await change<Pod>('pods', name, (there) => runningPod(there, clock.now()));
};

/** Makes a plane with these nodes. */
export const aDrainPlane = async (nodes: readonly string[], options: ControlPlaneOptions = {}) => {
  const plane = await aWorkloadPlane(options);
  const { clock, writer, state } = plane;
  const alive = new Set<string>();

  const addNode = async (name: string): Promise<void> => {
    await writer.write(nodeKey(name), (_, now) => ({ next: nodeOf(name, now), writer: 'client' }));
    alive.add(name);
  };
  for (const name of nodes) await addNode(name);

  const node = async (name: string): Promise<Node | undefined> =>
    liveRow(await state.objects.read(nodeKey(name)))?.object;
  const changeNode = (name: string, to: (node: Node) => Node | 'delete') =>
    writer.write(nodeKey(name), (row) => {
      const live = liveRow(row);
      return live && { next: to(live.object), writer: 'client' };
    });
  const podsOn = async (name: string): Promise<readonly string[]> =>
    (await plane.pods()).filter(({ spec }) => spec.nodeName === name).map(({ metadata }) => metadata.name);

  return {
    ...plane,
    addNode,
    alive,
    node,
    changeNode,
    podsOn,
    addReplicas: (name: string, replicas: number, spec: object = {}) =>
      plane.put('replicasets', replicaSet(name, replicas, spec)),
    addBudget: (name: string, spec: PodDisruptionBudgetSpec) =>
      plane.put('poddisruptionbudgets', budget(name, spec)),
    drain: (name: string, request: Partial<DrainRequest> = {}) =>
      changeNode(name, (given) =>
        withDrainRequest(given, {
          id: `drain-${name}`,
          requestedAt: clock.now(),
          by: 'alice',
          reason: 'kernel',
          ...request,
        }),
      ),
    uncordon: (name: string) =>
      changeNode(name, (given) => {
        const { annotations: _, ...metadata } = given.metadata;
        return { ...given, metadata, spec: { ...given.spec, unschedulable: false } };
      }),
    /** Status and reason of a condition of a node. */
    conditionOf: async (name: string, type: string): Promise<string | undefined> => {
      const found = (await node(name))?.status?.conditions?.find((one) => one.type === type);
      return found && `${found.status} ${found.reason}`;
    },
    messageOf: async (name: string): Promise<string> =>
      (await node(name))?.status?.conditions?.find(({ type }) => type === 'DrainInProgress')?.message ?? '',
    readyPods: async (app: string): Promise<number> =>
      (await plane.pods()).filter(
        (pod) =>
          pod.metadata.labels?.['app'] === app &&
          isPodReady(pod) &&
          pod.metadata.deletionTimestamp === undefined,
      ).length,
    /** Lets so many seconds pass; the kubelets act after each. */
    pass: async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second += 1) {
        for (const name of alive) await beat(plane, name);
        for (const pod of await plane.pods()) await serve(plane, pod);
        await plane.run(SECOND);
      }
    },
  };
};

export type DrainPlane = Awaited<ReturnType<typeof aDrainPlane>>;
