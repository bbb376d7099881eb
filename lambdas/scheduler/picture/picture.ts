/** The cluster as the scheduler knows it: it follows the logs of all resources that its rules read. */
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import type { PodDisruptionBudget } from '../../../shared/kube/types/policy.ts';
import type {
  CSINode,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
} from '../../../shared/kube/types/storage.ts';
import { createBoundPods } from '../../../shared/rules/scheduling/cluster/bound-pods.ts';
import type { Cluster, NodeInfo } from '../../../shared/rules/scheduling/cluster/cluster.ts';
import {
  nodeInfo,
  takesRoom,
  withoutPods,
  withPod,
} from '../../../shared/rules/scheduling/cluster/cluster.ts';
import type { ObjectChange } from '../../../shared/rules/scheduling/object-change.ts';
import type { LabelMapOwner, SelectorOwner } from '../../../shared/rules/scheduling/pods/default-spread.ts';
import type { NamespaceLabels } from '../../../shared/rules/scheduling/pods/placement.ts';
import { withSelectedNode } from '../../../shared/rules/scheduling/pods/storage.ts';
import type { VolumeChoice } from '../../../shared/rules/scheduling/volumes/volume-choice.ts';
import { withClaim } from '../../../shared/rules/storage/binding.ts';
import { createAssumptions } from './assumed-storage.ts';

/** The objects of one kind. Cluster-scoped ones are found by their name, others by `namespace/name`. */
type Objects<T extends ApiObject> = Map<string, T>;

const pathOf = ({ metadata: { namespace, name } }: ApiObject): string =>
  namespace ? `${namespace}/${name}` : name;

const replace = <T extends ApiObject>(objects: Objects<T>, { before, after }: ObjectChange): void => {
  if (after) objects.set(pathOf(after), after as T);
  else if (before) objects.delete(pathOf(before));
};

/** The kinds that are kept as they are. Nodes, Pods and Namespaces are kept otherwise. */
const createKinds = () => ({
  PersistentVolumeClaim: new Map() as Objects<PersistentVolumeClaim>,
  PersistentVolume: new Map() as Objects<PersistentVolume>,
  StorageClass: new Map() as Objects<StorageClass>,
  CSINode: new Map() as Objects<CSINode>,
  PodDisruptionBudget: new Map() as Objects<PodDisruptionBudget>,
  Service: new Map() as Objects<LabelMapOwner>,
  ReplicationController: new Map() as Objects<LabelMapOwner>,
  ReplicaSet: new Map() as Objects<SelectorOwner>,
  StatefulSet: new Map() as Objects<SelectorOwner>,
});

type Kinds = ReturnType<typeof createKinds>;

/** Pods by the node that they name, also while no such Node exists, and in groups. Pods that have ended are left out. */
const createPodsByNode = () => {
  const byNode = new Map<string, Map<string, Pod>>();
  const groups = createBoundPods();
  const remove = ({ metadata, spec: { nodeName = '' } }: Pod): void => {
    const pods = byNode.get(nodeName);
    const kept = pods?.get(metadata.uid ?? '');
    if (!pods || !kept) return;
    groups.remove(kept, nodeName);
    pods.delete(metadata.uid ?? '');
    if (pods.size === 0) byNode.delete(nodeName);
  };
  return {
    groups,
    of: (node: string): readonly Pod[] => [...(byNode.get(node)?.values() ?? [])],
    /** Replaces a pod of the same uid. */
    add: (pod: Pod): void => {
      remove(pod);
      const { nodeName = '' } = pod.spec;
      const pods = byNode.get(nodeName) ?? new Map<string, Pod>();
      byNode.set(nodeName, pods.set(pod.metadata.uid ?? '', pod));
      groups.add(pod, nodeName);
    },
    remove,
  };
};

/** What the scheduler knows of the cluster. */
export interface Picture {
  /** Takes over a change of any kind that the rules read. Changes of pods without a node do not matter to it. */
  apply(change: ObjectChange): void;
  /** Counts the pod on the node that it names, before its bind is in the log. */
  assume(pod: Pod): void;
  /** Takes back `assume`: the pod was not bound. */
  forget(pod: Pod): void;
  /** Shows volumes and claims as they will be with this choice. */
  assumeVolumes(choice: VolumeChoice, nodeName: string): void;
  /** Takes back `assumeVolumes`: they were not all written. */
  forgetVolumes(choice: VolumeChoice): void;
  cluster(): Cluster;
  node(name: string): Node | undefined;
  namespaces(): NamespaceLabels;
  budgets(): readonly PodDisruptionBudget[];
  /** Changes whenever the answer of an attempt may change. */
  version(): number;
  /** The node of the pod that was assumed last, if nothing has changed since. */
  assumedLast(): string | undefined;
}

const ownersIn = (kinds: Kinds): NonNullable<Cluster['owners']> => ({
  services: kinds.Service,
  replicationControllers: kinds.ReplicationController,
  replicaSets: kinds.ReplicaSet,
  statefulSets: kinds.StatefulSet,
});

const storageIn = (kinds: Kinds): Cluster['storage'] => ({
  claims: kinds.PersistentVolumeClaim,
  volumes: kinds.PersistentVolume,
  classes: kinds.StorageClass,
  csiNodes: kinds.CSINode,
});

const isBound = (pod: Pod | undefined): pod is Pod => !!pod?.spec.nodeName && takesRoom(pod);

/** A pod that neither has a node nor had one changes nothing for others. */
const matters = ({ before, after }: ObjectChange): boolean =>
  (after ?? before)?.kind !== 'Pod' ||
  isBound(before as Pod | undefined) ||
  isBound(after as Pod | undefined);

/** Nodes, and the pods that are bound to them. */
const createPopulation = () => {
  const nodes = new Map<string, NodeInfo>();
  const bound = createPodsByNode();
  const changeInfo = (name: string | undefined, change: (info: NodeInfo) => NodeInfo): void => {
    const info = nodes.get(name ?? '');
    if (info) nodes.set(info.node.metadata.name, change(info));
  };
  const add = (pod: Pod): void => {
    bound.add(pod);
    changeInfo(pod.spec.nodeName, (info) => withPod(info, pod));
  };
  const remove = (pod: Pod): void => {
    bound.remove(pod);
    changeInfo(pod.spec.nodeName, (info) => withoutPods(info, [pod]));
  };
  return {
    nodes,
    groups: bound.groups,
    add,
    remove,
    applyNode: ({ before, after }: ObjectChange<Node>): void => {
      if (before && !after) nodes.delete(before.metadata.name);
      if (after) nodes.set(after.metadata.name, nodeInfo(after, bound.of(after.metadata.name)));
    },
    applyPod: ({ before, after }: ObjectChange<Pod>): void => {
      if (isBound(before)) remove(before);
      if (!isBound(after)) return;
      // It may be assumed to be here or, if another scheduler was faster, elsewhere.
      remove(after);
      add(after);
    },
  };
};

/** The assumptions about what was chosen for pods. */
const createChoices = ({ PersistentVolume: volumes, PersistentVolumeClaim: claims }: Kinds) => {
  const assumed = {
    PersistentVolume: createAssumptions(volumes),
    PersistentVolumeClaim: createAssumptions(claims),
  };
  return {
    assume: ({ bindings, provisions }: VolumeChoice, nodeName: string): void => {
      for (const { claim, volume } of bindings)
        assumed.PersistentVolume.assume(pathOf(volume), withClaim(volume, claim));
      for (const claim of provisions)
        assumed.PersistentVolumeClaim.assume(pathOf(claim), withSelectedNode(claim, nodeName));
    },
    forget: ({ bindings, provisions }: VolumeChoice): void => {
      for (const { volume } of bindings) assumed.PersistentVolume.forget(pathOf(volume));
      for (const claim of provisions) assumed.PersistentVolumeClaim.forget(pathOf(claim));
    },
    settle: (object: ApiObject): void => {
      if (object.kind === 'PersistentVolume' || object.kind === 'PersistentVolumeClaim')
        assumed[object.kind].settle(pathOf(object));
    },
  };
};

/** Creates a picture without any object. */
export const createPicture = (): Picture => {
  const kinds = createKinds();
  const namespaces = new Map<string, Readonly<Record<string, string>>>();
  const choices = createChoices(kinds);
  const { nodes, groups, add, remove, applyNode, applyPod } = createPopulation();
  let version = 0;
  let drawn: Cluster | undefined;

  let assumedLast: string | undefined;

  const touch = (): void => {
    version += 1;
    drawn = undefined;
    assumedLast = undefined;
  };
  const applyNamespace = ({ before, after }: ObjectChange): void => {
    if (before && !after) namespaces.delete(before.metadata.name);
    if (after) namespaces.set(after.metadata.name, after.metadata.labels ?? {});
  };
  const applyTo = (kind: string, change: ObjectChange): void => {
    if (kind === 'Node') applyNode(change);
    else if (kind === 'Pod') applyPod(change as ObjectChange<Pod>);
    else if (kind === 'Namespace') applyNamespace(change);
    else if (Object.hasOwn(kinds, kind)) replace<ApiObject>(kinds[kind as keyof Kinds], change);
  };

  return {
    apply: (change) => {
      if (!matters(change)) return;
      const object = change.after ?? change.before;
      if (object) choices.settle(object);
      applyTo(object?.kind ?? '', change);
      touch();
    },
    assume: (pod) => {
      add(pod);
      touch();
      assumedLast = pod.spec.nodeName;
    },
    forget: (pod) => {
      remove(pod);
      touch();
    },
    assumeVolumes: (choice, nodeName) => {
      choices.assume(choice, nodeName);
      touch();
    },
    forgetVolumes: (choice) => {
      choices.forget(choice);
      touch();
    },
    cluster: () => {
      drawn ??= {
        nodes: [...nodes.values()],
        byName: nodes,
        bound: groups,
        storage: storageIn(kinds),
        namespaces,
        owners: ownersIn(kinds),
      };
      return drawn;
    },
    node: (name) => nodes.get(name)?.node,
    namespaces: () => namespaces,
    budgets: () => [...kinds.PodDisruptionBudget.values()],
    version: () => version,
    assumedLast: () => assumedLast,
  };
};
