/** Sends the batches of a relay: each part in its turn, again soon after a failure, and always with the newest ages. */
import { backOff } from '../shared/kube/values/back-off.ts';
import type { EpochMs } from '../shared/kube/values/time.ts';
import { TOGETHER } from '../shared/rules/relays/batch-versions.ts';
import type { SitePart } from './batches.ts';
import { createPost, type Outcome, type PostDeps, type Together } from './post.ts';

/** A tick that comes so much (ms) after the last one follows a sleep of this process or its machine. */
const ASLEEP_MS = 2_000;
/** Milliseconds after a sleep in which batches follow one another soon: machines that had no answer beat again. */
const AWAKE_MS = 5_000;
/** Requests at the same time, of a relay that is small. */
const LEAST_AT_ONCE = 4;
/** Parts of a large one for each of them: all have their turn each ten seconds, even if an answer takes a second. */
const PARTS_FOR_ONE = 10;

/** The state of one part. */
export interface Turn {
  readonly dueAt: EpochMs;
  readonly failures: number;
  readonly isSending: boolean;
  readonly wasOutOfTurn: boolean;
}

/** Pause before a batch after news: others may come at the same time. */
const NEWS_MS = 500;
const FIRST_RETRY_MS = 1_000;

const mostSending = (parts: number): number => Math.max(LEAST_AT_ONCE, Math.ceil(parts / PARTS_FOR_ONE));

export interface SenderDeps extends PostDeps {
  readonly now: () => EpochMs;
}

/** A part that has sent nothing yet. */
export const IDLE: Turn = { dueAt: 0, failures: 0, isSending: false, wasOutOfTurn: false };

/** Two relays of one name do not follow each other at once for ever. */
const pauseAfter = (outcome: Outcome, failures: number, before: Turn, intervalMs: number): number => {
  if (outcome === 'accepted') return intervalMs;
  if (outcome !== 'failed') return before.wasOutOfTurn ? FIRST_RETRY_MS : 0;
  return backOff({ firstMs: FIRST_RETRY_MS, mostMs: intervalMs }, failures - 1);
};

/** The turn after a batch that was sent at `startedAt`. */
export const turnAfter = (before: Turn, outcome: Outcome, startedAt: EpochMs, intervalMs: number): Turn => {
  const failures = outcome === 'failed' ? before.failures + 1 : 0;
  const dueAt = startedAt + pauseAfter(outcome, failures, before, intervalMs);
  return {
    dueAt,
    failures,
    isSending: false,
    wasOutOfTurn: outcome === 'outOfTurn' || outcome === 'otherVersion',
  };
};

/** Whether a batch is due; earlier if nodes wait to join, unless the last one has failed. */
const isDue = (turn: Turn, hasNews: boolean, at: EpochMs, intervalMs: number): boolean => {
  if (turn.isSending) return false;
  return at >= turn.dueAt || (hasNews && turn.failures === 0 && at >= turn.dueAt - intervalMs + NEWS_MS);
};

/** Whoever has waited longest goes first: in any other order the last ones would wait for ever where answers are slow. */
const byTurn =
  (turnOf: (part: number) => Turn) =>
  (a: SitePart, b: SitePart): number =>
    turnOf(a.number).dueAt - turnOf(b.number).dueAt;

/** Creates a sender. Call `tick` several times a second. */
export const createSender = (deps: SenderDeps) => {
  const { site, now } = deps;
  const post = createPost(deps);
  const turns = new Map<number, Turn>();
  let sending = 0;
  let tickedAt = now();
  let awokeAt = Number.NEGATIVE_INFINITY;
  const turnOf = (part: number): Turn => turns.get(part) ?? IDLE;

  const send = async (together: Together): Promise<void> => {
    const before = new Map(together.sent.map(({ part: { number } }) => [number, turnOf(number)]));
    for (const [number, turn] of before) turns.set(number, { ...turn, isSending: true });
    const startedAt = now();
    sending += 1;
    const outcomes = await post.send(together);
    sending -= 1;
    for (const [number, turn] of before)
      turns.set(number, turnAfter(turn, outcomes.get(number) ?? 'failed', startedAt, site.intervalMs()));
  };
  /** Parts that go along with one whose own turn it is, because theirs is within half an interval: so all go together from then on. */
  const alongWith = (due: ReadonlySet<SitePart>, parts: readonly SitePart[], at: EpochMs) => {
    const isOwnTurn = [...due].some(({ number }) => turnOf(number).dueAt <= at);
    if (!isOwnTurn || !post.isTogether()) return [];
    const until = at + site.intervalMs() / 2;
    const isNear = ({ dueAt, failures, isSending }: Turn): boolean =>
      !isSending && failures === 0 && dueAt <= until;
    return parts.filter((part) => !due.has(part) && isNear(turnOf(part.number)));
  };
  /** The requests that are due at `at`, in their turns. */
  const requestsAt = (at: EpochMs): readonly Together[] => {
    const [parts, waiting, intervalMs] = [site.parts(), site.waiting(), site.intervalMs()];
    const free = mostSending(parts.length) - sending;
    if (free <= 0) return [];
    const isDueNow = ({ number }: SitePart): boolean =>
      isDue(turnOf(number), waiting.has(number) || at - awokeAt < AWAKE_MS, at, intervalMs);
    const due = new Set(parts.filter(isDueNow));
    const along = alongWith(due, parts, at).toSorted(byTurn(turnOf)).slice(0, TOGETHER.parts);
    const inTurn = [...[...due].toSorted(byTurn(turnOf)), ...along];
    return post.requests(inTurn, free).filter(({ sent }) => sent.some(({ part }) => due.has(part)));
  };

  return {
    /**
     * Sends what is due, and resolves when it has been answered. After a sleep the first tick sends nothing: the beats that came
     * meanwhile wait to be read, and without them a batch would say that living nodes are silent (J-202).
     */
    tick: async (): Promise<void> => {
      const at = now();
      const hasSlept = at - tickedAt >= ASLEEP_MS;
      tickedAt = at;
      if (hasSlept) {
        awokeAt = at;
        return;
      }
      await Promise.all(requestsAt(at).map(send));
    },
  };
};
