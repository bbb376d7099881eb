/** What a batch changes: the instants at which the nodes of a relay were last heard. */
import type { EpochMs } from '../../kube/values/time.ts';
import { ageIn, isPlainIn, NOT_HEARD, packedAge, storedAge } from './packed-ages.ts';
import type { RelayBeats, RelayedAge, RelayRoster } from './relay-items.ts';
import { speaksFor } from './roster.ts';

/** What a batch says of one node. */
export interface ReportedAge extends RelayedAge {
  readonly name: string;
  readonly uid: string;
}

/** A batch that was received at `now`. */
export interface RelayBatch {
  readonly sequence: number;
  readonly nodes: readonly ReportedAge[];
}

const younger = (a: number, b: number): number => {
  if (a === NOT_HEARD || b === NOT_HEARD) return Math.min(a, b);
  // A Lease or a status counts for every node, a plain heartbeat only for some: it does not replace one of those.
  if (isPlainIn(a) !== isPlainIn(b)) return isPlainIn(a) ? b : a;
  return Math.min(a, b);
};

const grown = (age: number, byMs: number): number =>
  age === NOT_HEARD ? NOT_HEARD : packedAge(ageIn(age) + byMs, isPlainIn(age));

/**
 * The beats after a batch, and whom the relay may not speak for. No instant goes back: an older age than the stored one, or none, changes nothing.
 */
export const mergedBeats = (
  roster: RelayRoster,
  before: RelayBeats | undefined,
  { sequence, nodes }: RelayBatch,
  now: EpochMs,
): { readonly beats: RelayBeats; readonly refused: readonly ReportedAge[] } => {
  // Never before the last one: a function whose clock is behind must not make nodes look silent. A pass takes back what is ahead.
  const receivedAt = Math.max(before?.receivedAt ?? now, now);
  const passedMs = receivedAt - (before?.receivedAt ?? receivedAt);
  const places = new Map(roster.entries.map(({ name }, place) => [name, place]));
  const reported = new Map<number, number>();
  const refused: ReportedAge[] = [];
  for (const node of nodes) {
    const place = places.get(node.name) ?? -1;
    if (speaksFor(roster.entries[place], node.uid, now))
      reported.set(place, packedAge(node.ageMs, node.isPlain));
    else refused.push(node);
  }
  const ages = Uint32Array.from(roster.entries, ({ since }, place) =>
    younger(grown(storedAge(before, place, since), passedMs), reported.get(place) ?? NOT_HEARD),
  );
  return { beats: { sequence, receivedAt, roster: roster.revision, ages }, refused };
};
