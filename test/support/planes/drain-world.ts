/** Nodes with pods of applications, bare pods and pods of DaemonSets, whose kubelets and controllers the test plays: it makes anew what goes. */

import type { Chance } from '../../../shared/adapters/hostile/chance.ts';
import { BAD_DAY } from '../../../shared/adapters/hostile/process.ts';
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import type { PodDisruptionBudget } from '../../../shared/kube/types/policy.ts';
import { toTime } from '../../../shared/kube/values/time.ts';
import { liveRow, nodeKey, type ObjectKey } from '../../../shared/ports/store/rows.ts';
import { withoutCancelledDrain } from '../../../shared/rules/drain/drain-annotations.ts';
import { isPodReady } from '../../../shared/rules/pods/pod-conditions.ts';
import type { ControlPlane } from '../../../simulation/plane/control-plane-types.ts';
import { runningPod } from '../objects/running-pod.ts';
import { type BadDay, createBadDay } from './bad-day.ts';

/** Applications, with the pods that each must keep ready. The last one never spares a pod. */
export const APPS: Readonly<Record<string, { readonly replicas: number; readonly minAvailable: number }>> = {
  web: { replicas: 5, minAvailable: 3 },
  db: { replicas: 3, minAvailable: 2 },
  held: { replicas: 2, minAvailable: 2 },
};
export const NODES = ['n1', 'n2', 'n3', 'n4', 'n5'];
/** Instants are stored by one clock and judged by another. */
export const SKEW_MS = 2 * BAD_DAY.clockSkewMs;
/** The monitor leaves nodes alone: nobody beats. */
const PATIENT = { nodeMonitorGracePeriodMs: 36_000_000, nodeStartupGracePeriodMs: 36_000_000 };
/** What the test plays itself, or what has nothing to do here. */
const OFF = ['taint-eviction', 'pod-gc', 'garbage', 'scheduler', 'daemon-set', 'replica-set'] as const;

export interface World extends BadDay {
  /** Pods and nodes made so far: their uids. */
  made: number;
}

export const oneOf = <T>(chance: Chance, list: readonly T[]): T => {
  const found = list[Math.floor(chance.upTo(list.length))];
  if (found === undefined) throw new Error('nothing to choose from');
  return found;
};

const podKey = (name: string): ObjectKey => ({ resource: 'pods', namespace: 'default', name });

const all = async <T>({ state }: ControlPlane, resource: string): Promise<readonly T[]> =>
  (await state.objects.page({ resource, namespace: '' })).rows.map(({ object }) => object as T);

export const allPods = (plane: ControlPlane): Promise<readonly Pod[]> => all(plane, 'pods');
export const allNodes = (plane: ControlPlane): Promise<readonly Node[]> => all(plane, 'nodes');

/** What a client does to a Node: uncordoning takes the request away, as the API does. */
export const changeNode = (
  { plane }: BadDay,
  name: string,
  change: (node: Node, now: number) => Node | undefined,
): Promise<unknown> =>
  plane.writer.write(nodeKey(name), (row, now) => {
    const node: Node | undefined = liveRow(row)?.object;
    const next = node && change(node, now);
    return next && { next: withoutCancelledDrain(next, node), writer: 'client' };
  });

/** Without the request, once a client writes it. */
export const uncordoned = (node: Node): Node => {
  const { unschedulable: _, ...spec } = node.spec ?? {};
  return { ...node, spec };
};

export const addNode = async (world: World, name: string): Promise<void> => {
  world.made += 1;
  const uid = `node-${world.made}`;
  await world.plane.writer.write(nodeKey(name), (row, now) => {
    if (liveRow(row)) return undefined;
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: toTime(now) }] as const;
    const metadata = { name, uid, creationTimestamp: toTime(now) };
    const status = { conditions, nodeInfo: { bootID: uid } };
    return { next: { apiVersion: 'v1', kind: 'Node', metadata, status } as Node, writer: 'client' };
  });
};

/** Who made a pod: an application, a DaemonSet, or nobody. */
export const addPod = async (
  world: World,
  {
    app,
    nodeName,
    owner,
    isLocal = false,
  }: {
    readonly app: string;
    readonly nodeName: string;
    readonly owner?: 'ReplicaSet' | 'DaemonSet';
    readonly isLocal?: boolean;
  },
): Promise<void> => {
  world.made += 1;
  const name = `${app}-${world.made}`;
  await world.plane.writer.write(podKey(name), (_, now) => {
    const owners = owner
      ? {
          ownerReferences: [
            { apiVersion: 'apps/v1', kind: owner, name: app, uid: `uid-${app}`, controller: true },
          ],
        }
      : {};
    const next = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name,
        namespace: 'default',
        uid: `pod-${name}`,
        labels: { app },
        generation: 1,
        creationTimestamp: toTime(now),
        ...owners,
      },
      spec: {
        nodeName,
        terminationGracePeriodSeconds: 20,
        ...(isLocal ? { volumes: [{ name: 'scratch', emptyDir: {} }] } : {}),
      },
      status: { phase: 'Pending' },
    } as Pod;
    return { next, writer: 'client' };
  });
};

const addBudget = async ({ plane }: World, app: string, minAvailable: number): Promise<void> => {
  const next = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { namespace: 'default', name: app, uid: `budget-${app}`, generation: 1 },
    spec: { selector: { matchLabels: { app } }, minAvailable },
  } as PodDisruptionBudget;
  const key = { resource: 'poddisruptionbudgets', namespace: 'default', name: app };
  await plane.writer.write(key, () => ({ next: next as ApiObject, writer: 'client' }));
};

/** A kubelet stops what is deleted, and makes ready what is new, each after a while. */
const serve = async ({ plane }: World, chance: Chance): Promise<void> => {
  for (const pod of await allPods(plane)) {
    const { metadata } = pod;
    if (metadata.deletionTimestamp !== undefined && chance.hit(0.3))
      await plane.writer.write(podKey(metadata.name), (row) =>
        liveRow(row) ? { next: 'delete', writer: 'client' } : undefined,
      );
    else if (!isPodReady(pod) && chance.hit(0.3))
      await plane.writer.write(podKey(metadata.name), (row, now) => {
        const there = liveRow(row)?.object as Pod | undefined;
        const isGoing = there?.metadata.deletionTimestamp !== undefined;
        return there && !isGoing ? { next: runningPod(there, now), writer: 'client' } : undefined;
      });
  }
};

/** Makes the pods anew that an application misses, on nodes that are not cordoned. */
const replace = async (world: World, chance: Chance): Promise<void> => {
  const open = (await allNodes(world.plane)).filter(({ spec }) => spec?.unschedulable !== true);
  const pods = await allPods(world.plane);
  for (const [app, { replicas }] of Object.entries(APPS)) {
    const present = pods.filter(
      ({ metadata }) => metadata.labels?.['app'] === app && metadata.deletionTimestamp === undefined,
    );
    if (open.length > 0 && present.length < replicas)
      await addPod(world, { app, nodeName: oneOf(chance, open).metadata.name, owner: 'ReplicaSet' });
  }
};

const playMachines = async (world: World): Promise<void> => {
  const chance = world.chance.fork();
  for (;;) {
    await serve(world, chance);
    await replace(world, chance);
    await world.plane.clock.sleep(1_000);
  }
};

/** A world in which faults strike at the rates of a bad day, until `calm`. */
export const aDrainWorld = async (seed: number): Promise<World> => {
  const world: World = { ...createBadDay(seed, BAD_DAY, PATIENT), made: 0 };
  for (const part of OFF) world.plane.set(part, false);
  for (const name of NODES) await addNode(world, name);
  for (const [app, { minAvailable }] of Object.entries(APPS)) await addBudget(world, app, minAvailable);
  for (const nodeName of NODES) await addPod(world, { app: 'daemon', nodeName, owner: 'DaemonSet' });
  void playMachines(world);
  await world.plane.run(60_000);
  return world;
};
