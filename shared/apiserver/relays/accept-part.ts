/** Stores one part of what a relay sends. */
import type { User } from '../../kinds/contract/user.ts';
import { conflict, type StatusError } from '../../kube/errors/status-error.ts';
import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { HeartbeatStore } from '../../ports/store/heartbeats.ts';
import { mergedBeats, type ReportedAge } from '../../rules/relays/merge-ages.ts';
import type {
  RelayBeats,
  RelayPart,
  RelayRecord,
  RelayRoster,
  RosterEntry,
} from '../../rules/relays/relay-items.ts';
import { NO_ROSTER, relayExpiry, withoutGone } from '../../rules/relays/roster.ts';
import { isNextSequence } from '../../rules/relays/sequence.ts';
import type { HeartbeatServerDeps } from '../contract/deps.ts';
import { BATCH_KIND } from './batch-kind.ts';
import { type Refusal, withShown } from './enrol.ts';
import { checkNotFromBefore } from './from-before.ts';
import type { SentPart } from './read-batch.ts';

/** The `workRevision` of each Node of a roster, and the entries whose Nodes are gone. */
interface RosterWork {
  readonly work: Readonly<Record<string, string>>;
  readonly gone: readonly RosterEntry[];
}

const conflictOf = (relay: string, why: string): StatusError =>
  conflict({ resource: BATCH_KIND.resource, group: BATCH_KIND.group, name: relay }, why);

/** A part that is not the next one. Its sender goes on from the stored sequence. */
interface OutOfTurn {
  readonly stored: number;
  readonly error: StatusError;
}

const outOfTurn = (
  { relay }: RelayPart,
  { sequence }: SentPart,
  beats: RelayBeats | undefined,
): OutOfTurn => {
  const stored = beats?.sequence ?? 0;
  const error = conflictOf(relay, `the sequence ${sequence} does not follow the stored one, ${stored}`);
  return { stored, error };
};

/** A part that was received at `now`. */
export interface Step {
  readonly part: RelayPart;
  readonly now: EpochMs;
  readonly deps: HeartbeatServerDeps;
}

/** What is stored of a part. One that has no roster yet begins with what the first part knows: when the relay was deleted (J-323). */
const readPart = async ({ part, deps: { heartbeats } }: Step): Promise<RelayRecord> => {
  const record = await heartbeats.readRelay(part);
  if (record.roster || part.part === 0) return record;
  const { roster } = await heartbeats.readRelay({ ...part, part: 0 });
  return { ...record, roster: { ...NO_ROSTER, ...optional('closedAt', roster?.closedAt) } };
};

/** Stores a roster if it is another one than the one that was read. Throws 409 if somebody else has written it. */
const storeRoster = async ({ part, now, deps }: Step, read: RelayRoster | undefined, next: RelayRoster) => {
  if (next === read || next === NO_ROSTER) return;
  const revision = read?.revision === NO_ROSTER.revision ? undefined : read?.revision;
  if (!(await deps.heartbeats.replaceRoster(part, revision, next, relayExpiry(next, now))))
    throw conflictOf(part.relay, 'the roster has changed; send the batch again');
};

const withEnrolments = async (step: Step, { roster }: RelayRecord, { enrol }: SentPart) => {
  if (enrol.length === 0) return { roster: roster ?? NO_ROSTER, refused: [] };
  const next = await withShown(roster, enrol, step.part, step.deps, step.now);
  await storeRoster(step, roster, next.roster);
  return next;
};

/** Reads the entries of all nodes of a roster: 1 RRU for each. */
const workOfRoster = async (
  heartbeats: Pick<HeartbeatStore, 'entries'>,
  { entries }: RelayRoster,
  now: EpochMs,
): Promise<RosterWork> => {
  const valid = entries.filter(({ untilAt }) => untilAt > now);
  const items = await heartbeats.entries(valid.map(({ name }) => name));
  const found = new Map(items.map((item) => [item.name, item]));
  const isGone = ({ name, uid }: RosterEntry): boolean => found.get(name)?.uid !== uid;
  const there = valid.filter((entry) => !isGone(entry));
  return {
    work: Object.fromEntries(there.map(({ name }) => [name, String(found.get(name)?.workRevision ?? 0)])),
    gone: valid.filter(isGone),
  };
};

/** What the relay has to tell its nodes, if something changed. Nodes that are gone leave the roster. */
const newsFor = async (step: Step, record: RelayRecord, roster: RelayRoster, { workChanges }: SentPart) => {
  if (workChanges !== undefined && workChanges === (record.workChanges ?? 0)) return undefined;
  const news = await workOfRoster(step.deps.heartbeats, roster, step.now);
  const gone = new Set(news.gone);
  if (gone.size > 0)
    await storeRoster(
      step,
      roster,
      withoutGone(roster, (entry) => gone.has(entry)),
    );
  return news;
};

/** What the relay is told of one part that was accepted. */
const receiptOf = (
  { sequence }: SentPart,
  record: RelayRecord,
  news: Awaited<ReturnType<typeof newsFor>>,
  refused: readonly Refusal[],
) => ({
  sequence,
  workChanges: record.workChanges ?? 0,
  ...(news ? { work: news.work } : {}),
  ...(refused.length === 0 ? {} : { refused }),
});

const goneOf = (news: Awaited<ReturnType<typeof newsFor>>): readonly Refusal[] =>
  (news?.gone ?? []).map(({ name, uid }) => ({ name, uid, reason: 'gone' }));

/** Nodes for which the relay spoke though they are not on the roster, unless it has been told why: the first reason says what to do. */
const strangersOf = (
  refused: readonly Pick<ReportedAge, 'name' | 'uid'>[],
  told: readonly Refusal[],
): readonly Refusal[] => {
  const names = new Set(told.map(({ name }) => name));
  return refused
    .filter(({ name }) => !names.has(name))
    .map(({ name, uid }) => ({ name, uid, reason: 'notOnRoster' }));
};

/** Stores one part: one read and one write, whatever the number of nodes. Where nodes join or work has changed, more. Throws 403 and 409. */
export const acceptPart = async (user: User, step: Step, sent: SentPart) => {
  const { part, deps } = step;
  const record = await readPart(step);
  checkNotFromBefore(user, record.roster, part.relay);
  if (!isNextSequence(sent.sequence, record.beats?.sequence)) return outOfTurn(part, sent, record.beats);
  const { roster, refused: unknown } = await withEnrolments(step, record, sent);
  const { beats, refused } = mergedBeats(roster, record.beats, sent, step.now);
  const expiresAt = relayExpiry(roster, step.now);
  if (!(await deps.heartbeats.replaceRelayed(part, record.beats?.sequence, beats, expiresAt)))
    return outOfTurn(part, sent, (await deps.heartbeats.readRelay(part)).beats);
  const news = await newsFor(step, record, roster, sent);
  return receiptOf(sent, record, news, [...unknown, ...strangersOf(refused, unknown), ...goneOf(news)]);
};
