/** How many volumes of a driver a node can hold. Source: kubernetes v1.34 scheduler plugin `nodevolumelimits`. */
import type { Pod } from '../../../kube/types/core.ts';
import type { PersistentVolumeClaim } from '../../../kube/types/storage.ts';
import type { NodeInfo } from '../cluster/cluster.ts';
import type { FilterPlugin, Refusal } from '../cluster/framework.ts';
import { schedulingSpec } from '../pods/scheduling-spec.ts';
import type { Storage } from '../pods/storage.ts';
import { claimsOf, classOf, isClaim } from '../pods/storage.ts';

const TOO_MANY: Refusal = { reasons: ['node(s) exceed max volume count'], isResolvable: true };

interface CsiVolume {
  readonly driver?: string;
  readonly volumeHandle?: string;
}

/** The driver of the claim's volume and what it calls it. A claim without a volume counts as one of its class's driver. */
const volumeOf = (
  claim: PersistentVolumeClaim,
  storage: Storage,
): { readonly driver: string; readonly handle: string } | undefined => {
  const { namespace, name } = claim.metadata;
  if (!claim.spec?.volumeName)
    return { driver: classOf(claim, storage)?.provisioner ?? '', handle: `${namespace}/${name}` };
  const csi = storage.volumes.get(claim.spec.volumeName)?.spec?.['csi'] as CsiVolume | undefined;
  return csi?.driver && csi.volumeHandle ? { driver: csi.driver, handle: csi.volumeHandle } : undefined;
};

/** Drivers by volume; a volume of several pods is there once. Loops without lists in between: it reads the pods of each node. */
const driversByVolume = (pods: readonly Pod[], storage: Storage): ReadonlyMap<string, string> => {
  const drivers = new Map<string, string>();
  for (const pod of pods)
    for (const { claim } of claimsOf(pod, storage)) {
      const volume = claim && volumeOf(claim, storage);
      if (volume && volume.driver !== '') drivers.set(`${volume.driver}/${volume.handle}`, volume.driver);
    }
  return drivers;
};

const countBy = (drivers: Iterable<string>, wanted: string): number => {
  let count = 0;
  for (const driver of drivers) if (driver === wanted) count += 1;
  return count;
};

/** Drivers with a limit on this node. */
const limitsOf = ({ node }: NodeInfo, { csiNodes }: Storage): readonly (readonly [string, number])[] =>
  (csiNodes.get(node.metadata.name)?.spec?.drivers ?? []).flatMap(({ name = '', allocatable }) =>
    allocatable?.count === undefined || allocatable.count === null
      ? []
      : [[name, allocatable.count] as const],
  );

/** How many volumes of pods are claims. They have at most as many different volumes. */
const countClaims = (pods: readonly Pod[]): number => {
  let count = 0;
  for (const pod of pods)
    for (const volume of schedulingSpec(pod).volumes ?? []) if (isClaim(volume)) count += 1;
  return count;
};

const exceeds = (info: NodeInfo, wanted: ReadonlyMap<string, string>, storage: Storage): boolean => {
  const limits = limitsOf(info, storage);
  if (limits.length === 0) return false;
  // Most nodes are far from their limits: then it does not matter whose volumes these are.
  const most = countClaims(info.pods) + wanted.size;
  if (limits.every(([, limit]) => most <= limit)) return false;
  const held = driversByVolume(info.pods, storage);
  const added = [...wanted].filter(([volume]) => !held.has(volume)).map(([, driver]) => driver);
  return limits.some(([driver, limit]) => {
    const more = countBy(added, driver);
    return more > 0 && countBy(held.values(), driver) + more > limit;
  });
};

/** Keeps a pod off nodes that cannot hold its volumes in addition to theirs. */
export const nodeVolumeLimitsFilter: FilterPlugin = {
  name: 'NodeVolumeLimits',
  preFilter: (pod, { storage }) => {
    const wanted = driversByVolume([pod], storage);
    if (wanted.size === 0) return undefined;
    return { filter: (info) => (exceeds(info, wanted, storage) ? TOO_MANY : undefined) };
  },
};
