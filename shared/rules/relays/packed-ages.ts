/** Ages of a part as numbers: objects would be most of what a host with many relays has in memory, and garbage with each batch. */
import type { PackedAges, RelayedAge } from './relay-items.ts';

/** The relay has not heard the node. */
export const NOT_HEARD = 0xff_ff_ff_ff;

/** Oldest age (ms) that is stored, 24 days: it takes 31 bits. */
export const OLDEST_AGE_MS = 0x7f_ff_ff_fe;

/** An older age than `OLDEST_AGE_MS` counts as that. */
export const packedAge = (ageMs: number, isPlain: boolean): number =>
  Math.min(Math.floor(ageMs), OLDEST_AGE_MS) * 2 + Number(isPlain);

/** The age (ms) in a number that is not `NOT_HEARD`. */
export const ageIn = (packed: number): number => Math.floor(packed / 2);

/** Whether the number is of a plain heartbeat. */
export const isPlainIn = (packed: number): boolean => packed % 2 === 1;

/** Packs the ages of a part; `null`: the relay has not heard the node. */
export const packAges = (ages: readonly (RelayedAge | null)[]): PackedAges =>
  Uint32Array.from(ages, (age) => (age ? packedAge(age.ageMs, age.isPlain) : NOT_HEARD));

/** The inverse of `packAges`. */
export const unpackAges = (ages: PackedAges): readonly (RelayedAge | null)[] =>
  Array.from(ages, (packed) =>
    packed === NOT_HEARD ? null : { ageMs: ageIn(packed), isPlain: isPlainIn(packed) },
  );

/** The stored age of the entry with `since` at this place of a roster; `NOT_HEARD` if it is that of another Node, or there is none. */
export const storedAge = (
  beats: { readonly roster: number; readonly ages: PackedAges } | undefined,
  place: number,
  since: number,
): number => (beats && since <= beats.roster ? (beats.ages[place] ?? NOT_HEARD) : NOT_HEARD);
