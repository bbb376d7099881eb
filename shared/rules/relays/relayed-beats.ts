/** What the batches of relays say about single nodes. */
import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { isAhead } from '../zones/future-instants.ts';
import { ageIn, isPlainIn, NOT_HEARD, storedAge } from './packed-ages.ts';
import type { RelayBeats, RelayRecord } from './relay-items.ts';

/** The newest signs of life of one Node that came through relays (ms, our clock). */
export interface RelayedBeat {
  readonly uid: string;
  readonly relayAt?: EpochMs;
  readonly plainAt?: EpochMs;
  /** As in `Heartbeats`. */
  readonly aheadAt?: EpochMs;
}

/**
 * What to store instead of a receipt that is ahead of `now`: `now`, so that silence counts from there. It may be the clock of `now` that is wrong, so the
 * other instant is kept. `undefined`: it is not ahead.
 */
export const takeBackReceipt = (beats: RelayBeats, now: EpochMs): RelayBeats | undefined =>
  isAhead(beats.receivedAt, now) ? { ...beats, receivedAt: now, aheadAt: beats.receivedAt } : undefined;

const later = (a: EpochMs | undefined, b: EpochMs | undefined): EpochMs | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);

const merged = (known: RelayedBeat | undefined, next: RelayedBeat): RelayedBeat => ({
  uid: next.uid,
  ...optional('relayAt', later(known?.relayAt, next.relayAt)),
  ...optional('plainAt', later(known?.plainAt, next.plainAt)),
  ...optional('aheadAt', later(known?.aheadAt, next.aheadAt)),
});

/** Takes the sign of life of the node at this place of a roster: when it was (ms, our clock), and whether it was a plain heartbeat. */
type Take = (place: number, at: EpochMs, isPlain: boolean) => void;

/**
 * Gives out each sign of life in a record. Those that were stored by a clock that was ahead count as if the batch had been received now, and an age that
 * is older than its entry is that of another Node.
 */
export const eachRelayed = (
  { roster, beats }: Pick<RelayRecord, 'roster' | 'beats'>,
  now: EpochMs,
  take: Take,
): void => {
  if (!roster || !beats) return;
  const receivedAt = isAhead(beats.receivedAt, now) ? now : beats.receivedAt;
  let place = 0;
  for (const { since } of roster.entries) {
    const age = storedAge(beats, place, since);
    if (age !== NOT_HEARD) take(place, receivedAt - ageIn(age), isPlainIn(age));
    place += 1;
  }
};

/** The signs of life in the records of all relays, by `name/uid` of the Node, see `eachRelayed`. For few nodes: a pass counts by places. */
export const relayedBeats = (
  records: readonly Pick<RelayRecord, 'roster' | 'beats'>[],
  now: EpochMs,
): ReadonlyMap<string, RelayedBeat> => {
  const found = new Map<string, RelayedBeat>();
  for (const record of records)
    eachRelayed(record, now, (place, at, isPlain) => {
      const { name, uid } = record.roster?.entries[place] ?? { name: '', uid: '' };
      const key = `${name}/${uid}`;
      const beat = {
        uid,
        [isPlain ? 'plainAt' : 'relayAt']: at,
        ...optional('aheadAt', record.beats?.aheadAt),
      };
      found.set(key, merged(found.get(key), beat));
    });
  return found;
};
