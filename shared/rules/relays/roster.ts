/** The roster of a relay: for whom it may speak. */
import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { MOST_IN_PART, type RelayRoster, type RosterEntry } from './relay-items.ts';

/** What a node's token says. */
export type Enrolment = Pick<RosterEntry, 'name' | 'uid' | 'untilAt'>;

/** The roster of a part for which none is stored yet. */
export const NO_ROSTER: RelayRoster = { revision: 0, entries: [] };

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
  const { revision, entries, closedAt } = roster ?? NO_ROSTER;
  const next = [...entries];
  const full: string[] = [];
  for (const enrolment of enrolments) {
    const place = placeFor(next, enrolment, now);
    if (place < MOST_IN_PART) next[place] = seated(next[place], enrolment, revision + 1);
    else full.push(enrolment.name);
  }
  return { roster: { revision: revision + 1, entries: next, ...optional('closedAt', closedAt) }, full };
};

/** The roster without the Nodes that are gone: their places are free. */
export const withoutGone = (roster: RelayRoster, isGone: (entry: RosterEntry) => boolean): RelayRoster => ({
  ...roster,
  revision: roster.revision + 1,
  entries: roster.entries.map((entry) => (isGone(entry) ? { ...entry, untilAt: 0 } : entry)),
});

/** Whether the relay may speak for this Node now. */
export const speaksFor = (entry: RosterEntry | undefined, uid: string, now: EpochMs): boolean =>
  entry?.uid === uid && entry.untilAt > now;

/** Milliseconds for which the items of a relay are kept: for so long a site may be cut off before its nodes are judged as any others. */
const RETENTION_MS = 30 * 86_400_000;
/** For so long (ms) it is remembered that a relay was deleted: longer than a token lasts. */
const CLOSED_RETENTION_MS = 3_650 * 86_400_000;

/**
 * When the items of a part may be removed (ms): 30 days after its last batch, and not before its last token has expired for as long (J-324). Without
 * its roster a relay speaks for nobody, and a site without its last batch is not cut off.
 */
export const relayExpiry = ({ entries, closedAt }: RelayRoster, now: EpochMs): EpochMs =>
  entries.length === 0 && closedAt !== undefined
    ? now + CLOSED_RETENTION_MS
    : entries.reduce((latest, { untilAt }) => Math.max(latest, untilAt), now) + RETENTION_MS;
