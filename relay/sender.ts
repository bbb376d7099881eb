/** Sends the batches of a relay: each part in its turn, again soon after a failure, and always with the newest ages. */
import type { Upstream, UpstreamResponse } from '../gateway/upstream/upstream.ts';
import { SEQUENCE_HEADER } from '../shared/apiserver/relays/relay-batch.ts';
import { backOff } from '../shared/kube/values/back-off.ts';
import type { EpochMs } from '../shared/kube/values/time.ts';
import type { HostLog } from '../shared/serving/machine/host-log.ts';
import type { Receipt, SiteBatch, SitePart } from './batches.ts';
import { createRefusalTeller, jsonOf, refusalOf } from './refusal.ts';
import type { Site } from './site.ts';

const PATH = '/apis/rollcall.dev/v1/heartbeats';
/** A tick that comes so much (ms) after the last one follows a sleep of this process or its machine. */
const ASLEEP_MS = 2_000;
/** Milliseconds after a sleep in which batches follow one another soon: machines that had no answer beat again. */
const AWAKE_MS = 5_000;
/** Batches at the same time, of a relay that is small. */
const LEAST_AT_ONCE = 4;
/** Parts of a large one for each of them: all have their turn each ten seconds, even if an answer takes a second. */
const PARTS_FOR_ONE = 10;

/** How the last batch of a part ended. `outOfTurn`: the API had stored a later one than the relay knew. */
type Outcome = 'accepted' | 'outOfTurn' | 'failed';

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

export interface SenderDeps {
  readonly site: Site;
  readonly upstream: Upstream;
  /** The relay's token; it may be another one each time. */
  readonly token: () => string;
  readonly now: () => EpochMs;
  readonly hostLog: Pick<HostLog, 'warn'>;
}

/** Sends one batch of a part and takes the answer. */
const createPost = ({ site, upstream, token, hostLog }: SenderDeps) => {
  const teller = createRefusalTeller((error) =>
    hostLog.warn('the API refuses the batches of this relay', { error }),
  );
  const take = ({ number }: SitePart, batch: SiteBatch, answer: UpstreamResponse): Outcome => {
    if (answer.status === 200) {
      site.receive(number, batch, jsonOf(answer) as Receipt);
      teller.accepted();
      return 'accepted';
    }
    const stored = Number(answer.headers[SEQUENCE_HEADER]);
    if (answer.status === 409 && Number.isSafeInteger(stored)) {
      site.resume(number, stored);
      return 'outOfTurn';
    }
    teller.refused(refusalOf(answer));
    return 'failed';
  };
  return async (part: SitePart): Promise<Outcome> => {
    const batch = site.batch(part);
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token()}` };
    const body = Buffer.from(JSON.stringify(batch.body));
    try {
      return take(part, batch, await upstream.send({ method: 'POST', path: PATH, headers, body }));
    } catch {
      // The upstream tells once that it is unreachable, and once that it answers again.
      return 'failed';
    }
  };
};

/** A part that has sent nothing yet. */
export const IDLE: Turn = { dueAt: 0, failures: 0, isSending: false, wasOutOfTurn: false };

/** Two relays of one name do not follow each other at once for ever. */
const pauseAfter = (outcome: Outcome, failures: number, before: Turn, intervalMs: number): number => {
  if (outcome === 'accepted') return intervalMs;
  if (outcome === 'outOfTurn') return before.wasOutOfTurn ? FIRST_RETRY_MS : 0;
  return backOff({ firstMs: FIRST_RETRY_MS, mostMs: intervalMs }, failures - 1);
};

/** The turn after a batch that was sent at `startedAt`. */
export const turnAfter = (before: Turn, outcome: Outcome, startedAt: EpochMs, intervalMs: number): Turn => {
  const failures = outcome === 'failed' ? before.failures + 1 : 0;
  const dueAt = startedAt + pauseAfter(outcome, failures, before, intervalMs);
  return { dueAt, failures, isSending: false, wasOutOfTurn: outcome === 'outOfTurn' };
};

/** Whether a batch is due; earlier if nodes wait to join, unless the last one has failed. */
const isDue = (turn: Turn, hasNews: boolean, at: EpochMs, intervalMs: number): boolean => {
  if (turn.isSending) return false;
  return at >= turn.dueAt || (hasNews && turn.failures === 0 && at >= turn.dueAt - intervalMs + NEWS_MS);
};

/** Creates a sender. Call `tick` several times a second. */
export const createSender = (deps: SenderDeps) => {
  const { site, now } = deps;
  const post = createPost(deps);
  const turns = new Map<number, Turn>();
  let tickedAt = now();
  let awokeAt = Number.NEGATIVE_INFINITY;
  const turnOf = (part: number): Turn => turns.get(part) ?? IDLE;

  const send = async (part: SitePart): Promise<void> => {
    const before = turnOf(part.number);
    turns.set(part.number, { ...before, isSending: true });
    const startedAt = now();
    const outcome = await post(part);
    turns.set(part.number, turnAfter(before, outcome, startedAt, site.intervalMs()));
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
      const sending = [...turns.values()].filter(({ isSending }) => isSending).length;
      const waiting = site.waiting();
      const parts = site.parts();
      const due = parts.filter(({ number }) => {
        const hasNews = waiting.has(number) || at - awokeAt < AWAKE_MS;
        return isDue(turnOf(number), hasNews, at, site.intervalMs());
      });
      const free = Math.max(0, mostSending(parts.length) - sending);
      // Whoever has waited longest goes first: in any other order the last ones would wait for ever where answers are slow.
      const inTurn = due.toSorted((a, b) => turnOf(a.number).dueAt - turnOf(b.number).dueAt);
      await Promise.all(inTurn.slice(0, free).map(send));
    },
  };
};
