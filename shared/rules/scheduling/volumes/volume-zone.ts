/** Zones in the labels of volumes. Source: kubernetes v1.34 scheduler plugin `volumezone`. */
import { ownMember } from '../../../kube/json/own-member.ts';
import type { PersistentVolume } from '../../../kube/types/storage.ts';
import {
  LABEL_REGION,
  LABEL_REGION_BETA,
  LABEL_ZONE,
  LABEL_ZONE_BETA,
} from '../../../kube/types/well-known.ts';
import type { Labels } from '../../zones/zone-names.ts';
import type { FilterPlugin, Refusal } from '../cluster/framework.ts';
import { claimsOf } from '../pods/storage.ts';

const OTHER_ZONE: Refusal = { reasons: ['node(s) had no available volume zone'], isResolvable: false };

const TOPOLOGY_LABELS = [LABEL_ZONE_BETA, LABEL_REGION_BETA, LABEL_ZONE, LABEL_REGION] as const;

/** The label that took the place of a beta one. */
const STABLE: Readonly<Record<string, string>> = {
  [LABEL_ZONE_BETA]: LABEL_ZONE,
  [LABEL_REGION_BETA]: LABEL_REGION,
};

interface Place {
  readonly key: string;
  readonly values: ReadonlySet<string>;
}

/** A volume of several zones has them in one label, divided by `__`. */
const placesOf = ({ metadata }: PersistentVolume): readonly Place[] =>
  TOPOLOGY_LABELS.flatMap((key) => {
    const value = ownMember(metadata.labels, key);
    return value === undefined ? [] : [{ key, values: new Set(value.split('__')) }];
  });

const isIn = ({ key, values }: Place, labels: Labels | undefined): boolean => {
  const value = ownMember(labels, key) ?? ownMember(labels, STABLE[key] ?? key);
  return value !== undefined && values.has(value);
};

const hasZone = (labels: Labels | undefined): boolean =>
  TOPOLOGY_LABELS.some((key) => ownMember(labels, key) !== undefined);

/** Keeps a pod to the zones of its volumes. A node without any zone label takes it, as in a cluster of one zone. */
export const volumeZoneFilter: FilterPlugin = {
  name: 'VolumeZone',
  preFilter: (pod, { storage }) => {
    const names = claimsOf(pod, storage)
      .filter(({ isEphemeral }) => !isEphemeral)
      .map(({ claim }) => claim?.spec?.volumeName ?? '')
      .filter((name) => name !== '');
    const missing = names.find((name) => !storage.volumes.has(name));
    if (missing !== undefined) return { fault: `persistentvolume "${missing}" not found` };
    const places = names.flatMap((name) => {
      const volume = storage.volumes.get(name);
      return volume ? placesOf(volume) : [];
    });
    if (places.length === 0) return undefined;
    return {
      filter: ({ node: { metadata } }) =>
        !hasZone(metadata.labels) || places.every((place) => isIn(place, metadata.labels))
          ? undefined
          : OTHER_ZONE,
    };
  },
};
