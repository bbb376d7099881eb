/** How many volumes of a driver a node can hold. Source: kubernetes v1.34 scheduler plugin `nodevolumelimits`. */
import type { Pod } from '../../api/core.ts';
import type { PersistentVolumeClaim } from '../../api/validation/volume-claim.ts';
import type { NodeInfo } from './cluster.ts';
import type { FilterPlugin, Refusal } from './framework.ts';
import type { Storage } from './storage.ts';
import { claimsOf, classOf } from './storage.ts';

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

/** Drivers by volume; a volume of several pods is there once. */
const driversByVolume = (pods: readonly Pod[], storage: Storage): ReadonlyMap<string, string> =>
  new Map(
    pods
      .flatMap((pod) => claimsOf(pod, storage))
      .map(({ claim }) => claim && volumeOf(claim, storage))
      .filter((volume) => volume !== undefined && volume.driver !== '')
      .map((volume) => [`${volume?.driver}/${volume?.handle}`, volume?.driver ?? '']),
  );

const countBy = (drivers: Iterable<string>, wanted: string): number =>
  [...drivers].filter((driver) => driver === wanted).length;

/** Drivers with a limit on this node. */
const limitsOf = ({ node }: NodeInfo, { csiNodes }: Storage): readonly (readonly [string, number])[] =>
  (csiNodes.get(node.metadata.name)?.spec?.drivers ?? []).flatMap(({ name = '', allocatable }) =>
    allocatable?.count === undefined || allocatable.count === null
      ? []
      : [[name, allocatable.count] as const],
  );

const exceeds = (info: NodeInfo, wanted: ReadonlyMap<string, string>, storage: Storage): boolean => {
  const limits = limitsOf(info, storage);
  if (limits.length === 0) return false;
  const held = driversByVolume(info.pods, storage);
  const added = [...wanted].filter(([volume]) => !held.has(volume)).map(([, driver]) => driver);
  return limits.some(([driver, most]) => {
    const more = countBy(added, driver);
    return more > 0 && countBy(held.values(), driver) + more > most;
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
