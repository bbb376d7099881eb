/** The API objects of simulated machines and pods, and the writes of kubelets. */
import type { MemoryState } from '../../shared/adapters/memory/state.ts';
import type { Node, Pod } from '../../shared/kube/types/core.ts';
import type { Condition } from '../../shared/kube/types/meta.ts';
import type { PersistentVolume } from '../../shared/kube/types/storage.ts';
import { LABEL_ZONE, READY } from '../../shared/kube/types/well-known.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import { toTime } from '../../shared/kube/values/time.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import { namespaceKey, volumeKey } from '../../shared/ports/store/rows.ts';
import { heldForContent } from '../../shared/rules/owners/namespace-holds.ts';
import { createCapacityEffects } from '../../shared/store/writer/capacity-effects.ts';
import type { ObjectWriter } from '../../shared/store/writer/object-writer.ts';
import { createObjectWriter } from '../../shared/store/writer/object-writer.ts';
import type { Plan, PlannedPod, Room } from '../plan/plan.ts';
import { storePolicies } from '../plan/policies.ts';
import { namespaceOf, resourceOf, storageOf, tolerationsOf, workloadOf } from '../plan/workloads.ts';
import { createIds } from '../plane/ids.ts';
import type { Machine } from '../plane/machine.ts';

/** Kubelets leave it to the controller to attach volumes. */
const MANAGED = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' };
const READY_NOW = { reason: 'KubeletReady', message: 'kubelet is posting ready status' };

/** The condition that kubelets write on Nodes and pods. */
export const readyCondition = (at: EpochMs): Condition => ({
  type: READY,
  status: 'True',
  lastHeartbeatTime: toTime(at),
  lastTransitionTime: toTime(at),
  ...READY_NOW,
});

/** The labels of a machine's Node. */
export const labelsOf = ({ zone }: Pick<Machine, 'zone'>) => ({ [LABEL_ZONE]: zone });

const SCHEME = 'sim://';
/** The providerID of a machine. */
export const providerIdOf = (machine: string): string => `${SCHEME}${machine}`;
/** The machine that has the providerID. */
export const machineNameOf = (providerId: string): string => providerId.slice(SCHEME.length);

const nodeOf = ({ name, zone, beating }: Machine, room: Room | undefined, at: EpochMs): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name,
    uid: `node-${name}`,
    creationTimestamp: toTime(at),
    labels: labelsOf({ zone }),
    annotations: MANAGED,
  },
  spec: { providerID: providerIdOf(name) },
  status: {
    ...(room ? { allocatable: { ...room, pods: String(room.pods) } } : {}),
    // A machine that only has curl writes no conditions: the control plane writes its Ready.
    ...(beating.style === 'kubelet' ? { conditions: [readyCondition(at + beating.clockSkewMs)] } : {}),
  },
});

const podOf = (pod: PlannedPod, at: EpochMs): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: pod.name,
    namespace: 'default',
    uid: `pod-${pod.name}`,
    generation: 1,
    creationTimestamp: toTime(at),
  },
  spec: { nodeName: pod.node, tolerations: tolerationsOf(pod.toleration), terminationGracePeriodSeconds: 30 },
  status: { phase: 'Running', conditions: [readyCondition(at)] },
});

/** Registers the machine as a Node. */
export const registerNode = async (
  writer: ObjectWriter,
  machine: Machine,
  room: Room | undefined,
): Promise<void> => {
  await writer.write({ resource: 'nodes', namespace: '', name: machine.name }, (_row, now) => ({
    next: nodeOf(machine, room, now),
    writer: 'client',
  }));
};

const registerVolume = async (writer: ObjectWriter, next: PersistentVolume): Promise<void> => {
  await writer.write(volumeKey(next.metadata.name), () => ({ next, writer: 'client' }));
};

const registerNamespace = async (writer: ObjectWriter, name: string): Promise<void> => {
  const metadata = { name, uid: `namespace-${name}` };
  const next = heldForContent({ apiVersion: 'v1', kind: 'Namespace', metadata });
  await writer.write(namespaceKey(name), () => ({ next, writer: 'client' }));
};

/**
 * Stores the fleet at the start of a run, without machines that join later. Call it before the control plane listens, so that no
 * controller reacts.
 */
export const register = async (
  stores: MemoryState & { readonly clock: Clock },
  { machines, room, pods, workloads = [], actions = [], policies = [] }: Plan,
): Promise<void> => {
  const capacityEffects = createCapacityEffects(stores.capacity);
  const writer = createObjectWriter({ ...stores, ids: createIds(), capacityEffects });
  await storePolicies(writer, policies);
  const later = new Set(actions.flatMap((action) => (action.kind === 'join' ? [action.node] : [])));
  for (const machine of machines) if (!later.has(machine.name)) await registerNode(writer, machine, room);
  for (const pod of pods)
    await writer.write({ resource: 'pods', namespace: 'default', name: pod.name }, (_row, now) => ({
      next: podOf(pod, now),
      writer: 'client',
    }));
  for (const namespace of new Set(workloads.map(namespaceOf))) await registerNamespace(writer, namespace);
  for (const volume of workloads.flatMap(storageOf)) await registerVolume(writer, volume);
  for (const workload of workloads)
    await writer.write(
      { resource: resourceOf(workload), namespace: namespaceOf(workload), name: workload.name },
      (_row, now) => ({ next: workloadOf(workload, now), writer: 'client' }),
    );
};

/** Writes Ready=True as a kubelet does, if the node's Ready is no longer True. */
export const postReady = async (writer: ObjectWriter, name: string): Promise<void> => {
  await writer.write({ resource: 'nodes', namespace: '', name }, (row, now) => {
    if (row?.state !== 'live' || row.facts.node?.ready === 'True') return undefined;
    const node: Node = row.object;
    const others = (node.status?.conditions ?? []).filter(({ type }) => type !== READY);
    const status = { ...node.status, conditions: [...others, readyCondition(now)] };
    return { next: { ...node, status }, writer: 'client' };
  });
};
