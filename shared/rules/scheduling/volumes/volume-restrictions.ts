/** Volumes that only one pod, or one node, can use at a time. Source: kubernetes v1.34 scheduler plugin `volumerestrictions`. */
import type { Pod } from '../../../kube/types/core.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { FilterPlugin, Refusal } from '../cluster/framework.ts';
import { commonNames } from '../cluster/framework.ts';
import type { RefuseChanged } from '../filters/counting-filter.ts';
import { countingFilter } from '../filters/counting-filter.ts';
import { sharedClaimsOf } from '../pods/claim-users.ts';
import type { PodVolume } from '../pods/scheduling-spec.ts';
import { schedulingSpec } from '../pods/scheduling-spec.ts';
import type { Storage } from '../pods/storage.ts';
import { claimsOf } from '../pods/storage.ts';

const IN_USE: Refusal = {
  reasons: [
    'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
  ],
  isResolvable: true,
};

const NO_DISK: Refusal = { reasons: ['node(s) had no available disk'], isResolvable: true };

interface Disk {
  readonly readOnly?: boolean;
  readonly pdName?: string;
  readonly volumeID?: string;
  readonly iqn?: string;
  readonly pool?: string;
  readonly image?: string;
  readonly monitors?: readonly string[];
}

const sameRbd = (a: Disk, b: Disk): boolean =>
  (a.pool ?? 'rbd') === (b.pool ?? 'rbd') &&
  a.image === b.image &&
  (a.monitors ?? []).some((monitor) => b.monitors?.includes(monitor));

/** When two volumes of one source are the same disk. */
const SAME_DISK: Readonly<Record<string, (a: Disk, b: Disk) => boolean>> = {
  gcePersistentDisk: (a, b) => a.pdName === b.pdName,
  awsElasticBlockStore: (a, b) => a.volumeID === b.volumeID,
  iscsi: (a, b) => a.iqn === b.iqn,
  rbd: sameRbd,
};

/** An EBS volume is never shared; the others are while all pods only read. */
const collide = (source: string, a: Disk, b: Disk): boolean =>
  SAME_DISK[source]?.(a, b) === true && !(source !== 'awsElasticBlockStore' && a.readOnly && b.readOnly);

const collides = (a: PodVolume, b: PodVolume): boolean =>
  Object.keys(SAME_DISK).some(
    (source) =>
      a[source] !== undefined &&
      b[source] !== undefined &&
      collide(source, a[source] as Disk, b[source] as Disk),
  );

const disksOf = (pod: Pod): readonly PodVolume[] =>
  (schedulingSpec(pod).volumes ?? []).filter((volume) =>
    Object.keys(SAME_DISK).some((source) => volume[source] !== undefined),
  );

/** The names of the pod's claims that only one pod may use. */
const exclusiveClaims = (pod: Pod, storage: Storage): ReadonlySet<string> =>
  new Set(
    claimsOf(pod, storage)
      .filter(
        ({ isEphemeral, claim }) => !isEphemeral && claim?.spec?.accessModes?.includes('ReadWriteOncePod'),
      )
      .map(({ name }) => name),
  );

/** How many of the claims each pod uses, summed up. */
const countUses = (pods: readonly Pod[], { metadata }: Pod, names: ReadonlySet<string>): number =>
  pods
    .filter((other) => other.metadata.namespace === metadata.namespace)
    .reduce((sum, other) => sum + commonNames(sharedClaimsOf(other), names).size, 0);

/** The same for the pods of all nodes. */
const countAllUses = ({ bound, byName }: Cluster, { metadata }: Pod, names: ReadonlySet<string>): number => {
  const nodes = [...names].flatMap((name) => bound.claims.nodesOf(metadata.namespace ?? '', name));
  return nodes.filter((node) => byName.has(node)).length;
};

/** Keeps a pod off all nodes while another pod uses a claim of its own alone, and off nodes where its disk is in use. */
export const volumeRestrictionsFilter: FilterPlugin = {
  name: 'VolumeRestrictions',
  preFilter: (pod, cluster) => {
    const names = exclusiveClaims(pod, cluster.storage);
    const disks = disksOf(pod);
    if (names.size === 0 && disks.length === 0) return undefined;
    const uses = countAllUses(cluster, pod, names);
    const usesOf = (pods: readonly Pod[] = []): number =>
      names.size === 0 ? 0 : countUses(pods, pod, names);
    const isTaken = (other: Pod): boolean =>
      disksOf(other).some((taken) => disks.some((disk) => collides(disk, taken)));
    const refuse: RefuseChanged = ({ pods }, { removed, added }) => {
      if (disks.length > 0 && pods.some(isTaken)) return NO_DISK;
      return uses + usesOf(added) - usesOf(removed) > 0 ? IN_USE : undefined;
    };
    return { filter: countingFilter(cluster, refuse) };
  },
};
