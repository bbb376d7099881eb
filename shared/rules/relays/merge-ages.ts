/** What a batch changes: the instants at which the nodes of a relay were last heard. */
import type { EpochMs } from '../../kube/values/time.ts';
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

/** Oldest age (ms) that is stored, 24 days: it takes 31 bits. */
export const OLDEST_AGE_MS = 0x7f_ff_ff_fe;

const younger = (a: RelayedAge | null, b: RelayedAge | null): RelayedAge | null => {
  if (a === null || b === null) return a ?? b;
  // A Lease or a status counts for every node, a plain heartbeat only for some: it does not replace one of those.
  if (a.isPlain !== b.isPlain) return a.isPlain ? b : a;
  return b.ageMs < a.ageMs ? b : a;
};

const grown = (age: RelayedAge | null | undefined, byMs: number): RelayedAge | null =>
  age ? { ...age, ageMs: Math.min(age.ageMs + byMs, OLDEST_AGE_MS) } : null;

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
  const reported = new Map<number, RelayedAge>();
  const refused: ReportedAge[] = [];
  for (const node of nodes) {
    const place = places.get(node.name) ?? -1;
    if (speaksFor(roster.entries[place], node.uid, now))
      reported.set(place, { ageMs: Math.min(node.ageMs, OLDEST_AGE_MS), isPlain: node.isPlain });
    else refused.push(node);
  }
  const ages = roster.entries.map(({ since }, place) => {
    const stored = before && since <= before.roster ? before.ages[place] : null;
    return younger(grown(stored, passedMs), reported.get(place) ?? null);
  });
  return { beats: { sequence, receivedAt, roster: roster.revision, ages }, refused };
};
