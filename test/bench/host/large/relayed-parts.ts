/** Relays of 1,000 nodes each, as they are stored. */
import type { EpochMs } from '../../../../shared/kube/values/time.ts';
import { packedAge } from '../../../../shared/rules/relays/packed-ages.ts';
import { MOST_IN_PART, type RelayBeats } from '../../../../shared/rules/relays/relay-items.ts';
import type { StoredPart } from '../../../../shared/store/beats/relayed-items.ts';
import { nodeName, uidOf } from '../../fleet/fleet.ts';

export const PARTS_OF_RELAY = 10;
const DAY_MS = 24 * 3_600_000;

export const relayName = (index: number): string => `site-${index}`;

/** The age of the node at this place, in each batch. */
export const ageAt = (place: number): number => 37 * place;
export const isPlainAt = (place: number): boolean => place % 2 === 0;

export const beatsAt = (sequence: number, receivedAt: EpochMs): RelayBeats => ({
  sequence,
  receivedAt,
  roster: 1,
  ages: Uint32Array.from({ length: MOST_IN_PART }, (_, place) => packedAge(ageAt(place), isPlainAt(place))),
});

const partAt = (index: number, now: EpochMs): StoredPart => ({
  part: { relay: relayName(Math.floor(index / PARTS_OF_RELAY)), part: index % PARTS_OF_RELAY },
  roster: {
    revision: 1,
    entries: Array.from({ length: MOST_IN_PART }, (_, place) => {
      const name = nodeName(index * MOST_IN_PART + place);
      return { name, uid: uidOf(name), untilAt: now + DAY_MS, since: 1 };
    }),
  },
  beats: beatsAt(1, now),
});

/** The parts of so many nodes, after their first batches at `now`. */
export const partsFor = (nodes: number, now: EpochMs): readonly StoredPart[] =>
  Array.from({ length: nodes / MOST_IN_PART }, (_, index) => partAt(index, now));
