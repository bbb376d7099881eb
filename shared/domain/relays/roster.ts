/** The roster of a relay: for whom it may speak. */
import type { EpochMs } from '../../api/time.ts';
import { MOST_IN_PART, type RelayRoster, type RosterEntry } from './relay-items.ts';

/** What a node's token says. */
export type Enrolment = Pick<RosterEntry, 'name' | 'uid' | 'untilAt'>;

const EMPTY: RelayRoster = { revision: 0, entries: [] };

const placeFor = (entries: readonly RosterEntry[], { name }: Enrolment, now: EpochMs): number => {
  const own = entries.findIndex((entry) => entry.name === name);
  if (own >= 0) return own;
  const free = entries.findIndex(({ untilAt }) => untilAt <= now);
  return free >= 0 ? free : entries.length;
};

/** A later token of the same Node keeps the age; another Node begins without one. */
const seated = (before: RosterEntry | undefined, enrolment: Enrolment, revision: number): RosterEntry =>
  before?.name === enrolment.name && before.uid === enrolment.uid
    ? { ...before, untilAt: Math.max(before.untilAt, enrolment.untilAt) }
    : { ...enrolment, since: revision };

/** The roster with these nodes, as far as there is room, and the names of those for whom there is none. */
export const enrolled = (
  roster: RelayRoster | undefined,
  enrolments: readonly Enrolment[],
  now: EpochMs,
): { readonly roster: RelayRoster; readonly full: readonly string[] } => {
  const { revision, entries } = roster ?? EMPTY;
  const next = [...entries];
  const full: string[] = [];
  for (const enrolment of enrolments) {
    const place = placeFor(next, enrolment, now);
    if (place < MOST_IN_PART) next[place] = seated(next[place], enrolment, revision + 1);
    else full.push(enrolment.name);
  }
  return { roster: { revision: revision + 1, entries: next }, full };
};

/** The roster without the Nodes that are gone: their places are free. */
export const withoutGone = (roster: RelayRoster, isGone: (entry: RosterEntry) => boolean): RelayRoster => ({
  revision: roster.revision + 1,
  entries: roster.entries.map((entry) => (isGone(entry) ? { ...entry, untilAt: 0 } : entry)),
});

/** Whether the relay may speak for this Node now. */
export const speaksFor = (entry: RosterEntry | undefined, uid: string, now: EpochMs): boolean =>
  entry?.uid === uid && entry.untilAt > now;
