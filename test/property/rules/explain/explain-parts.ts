/** Parts that a random world has or has not: policies, volumes with their attacher and kubelets, budgets, drains. */
import type { Pod } from '../../../../shared/kube/types/core.ts';
import type { LifecyclePolicySpec } from '../../../../shared/kube/types/lifecycle-policy.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import { liveRow } from '../../../../shared/ports/store/rows.ts';
import { WHOLE_NODE } from '../../../../shared/rules/drain/drain-request.ts';
import { withDrainRequest, withoutDrainRequest } from '../../../../shared/rules/drain/node-drain.ts';
import type { Change } from '../../../../shared/rules/explain/explanation.ts';
import { oneOf } from '../../../support/faults/one-of.ts';
import { aBoundClaim, aCsiVolume, aManagedNode, aUser } from '../../../support/objects/attachment-objects.ts';
import type { BadDay } from '../../../support/planes/bad-day.ts';
import * as fleet from '../../../support/planes/fleet.ts';
import { playAttacher } from '../../../support/planes/play-attacher.ts';
import { playKubelets } from '../../../support/planes/play-kubelets.ts';
import { all, keyOf, put } from '../../../support/planes/stored-objects.ts';

/** What acts work on. */
export interface World {
  readonly day: BadDay;
  /** Nodes whose kubelet works. */
  readonly alive: Set<string>;
}

export type Note = (change: Change, name: string) => void;
/** Something that a client does to the node `name`. It notes what it changes before it writes. */
export type Act = (world: World, name: string, note: Note) => Promise<void>;

const VOLUMES = ['a', 'b', 'c'];
const POLICIES: readonly LifecyclePolicySpec[] = [
  { zones: ['a'], nodeMonitorGracePeriodSeconds: 65, flapDamping: { losses: 2, stableSeconds: 60 } },
  { zones: ['b'], fullDisruption: 'Hold', unhealthyZoneThreshold: 0.3 },
  { zones: ['c'], adaptiveGrace: { floorSeconds: 30, ceilingSeconds: 90 } },
  { pacedNotReadyRate: 0.1, nodeEvictionRate: 0.3 },
];

const APP = { app: 'web' };
const SOON_MS = 120_000;

/** Stores some policies, by chance. */
export const startPolicies = async ({ plane, chance }: BadDay): Promise<void> => {
  for (const [index, spec] of POLICIES.entries())
    if (chance.hit(0.3)) await fleet.setPolicy(plane, `policy${index}`, spec);
};

/** Its volumes are left to the controller. */
export const manage = ({ plane }: BadDay, name: string): Promise<void> =>
  fleet.changeNode(plane, name, (node) => ({
    ...node,
    metadata: { ...node.metadata, annotations: { ...aManagedNode(name).metadata.annotations } },
  }));

/** A pod with a volume comes to the node, or goes from wherever it is. */
const movePod: Act = async ({ day: { plane, chance } }, name, note) => {
  const volume = oneOf(chance, VOLUMES);
  const podName = `v-${volume}${chance.hit(0.3) ? '2' : ''}`;
  for (const change of ['Deletion', 'ForceDeletion'] as const) note(change, podName);
  const fresh = aUser(podName, name, [volume]);
  const next = {
    ...fresh,
    metadata: { ...fresh.metadata, uid: `${podName}-${Math.floor(plane.clock.now())}` },
  };
  await plane.writer.write(keyOf(next), (row) => ({
    next: liveRow(row) ? 'delete' : next,
    writer: 'client',
  }));
};

const startVolumes = async ({ plane }: BadDay, alive: ReadonlySet<string>): Promise<void> => {
  for (const name of VOLUMES) await put(plane, aCsiVolume(name), aBoundClaim(name));
  playAttacher(plane);
  playKubelets(plane, alive);
};

const startBudgets = async ({ plane, chance }: BadDay): Promise<void> => {
  const spec = { minAvailable: Math.floor(chance.upTo(20)), selector: { matchLabels: APP } };
  const metadata = { namespace: 'default', name: 'web', uid: 'budget-1', generation: 1 };
  const next = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata, spec } as ApiObject;
  const key = { resource: 'poddisruptionbudgets', namespace: 'default', name: 'web' };
  await plane.writer.write(key, () => ({ next, writer: 'client' }));
};

/** Some pods have the label that the budget selects. */
export const withApp = (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, labels: APP } });

const requestDrain: Act = async ({ day: { plane, chance } }, name) => {
  const now = plane.clock.now();
  const instants = {
    ...(chance.hit(0.4) ? { deadlineAt: now + Math.floor(chance.upTo(SOON_MS)) } : {}),
    ...(chance.hit(0.3) ? { deleteAt: now + Math.floor(chance.upTo(SOON_MS)) } : {}),
  };
  const options = chance.hit(0.7) ? WHOLE_NODE : {};
  const request = { id: `d${now}`, requestedAt: now, by: 'ann', reason: 'disks', ...instants, ...options };
  await fleet.changeNode(plane, name, (node) => withDrainRequest(node, request));
};

const takeBack: Act = async ({ day: { plane } }, name) => {
  await fleet.changeNode(plane, name, withoutDrainRequest);
};

const isStopping = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;

/** Living kubelets stop the pods that are being deleted. */
const stopPods = ({ day: { plane }, alive }: World, note: Note): void => {
  const loop = async (): Promise<void> => {
    for (;;) {
      for (const pod of await all<Pod>(plane, 'pods'))
        if (isStopping(pod) && alive.has(pod.spec.nodeName ?? '')) {
          note('KubeletConfirms', pod.metadata.name);
          await fleet.changePod(plane, pod.metadata.name, (now) => (isStopping(now) ? 'delete' : now));
        }
      await plane.clock.sleep(5_000);
    }
  };
  void loop();
};

/** Starts the parts that this world has, by chance. Resolves to what clients do in them. */
export const startParts = async (world: World, note: Note): Promise<readonly Act[]> => {
  const { chance } = world.day;
  const acts: Act[] = [];
  if (chance.hit(0.6)) {
    await startVolumes(world.day, world.alive);
    acts.push(movePod, movePod, movePod);
  }
  if (chance.hit(0.5)) await startBudgets(world.day);
  if (chance.hit(0.6)) {
    stopPods(world, note);
    acts.push(requestDrain, requestDrain, takeBack);
  }
  return acts;
};
