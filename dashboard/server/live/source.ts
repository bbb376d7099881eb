/**
 * Whether the API answers, and up to when what is known of it is true. The API is asked for little again and again; every answer and every change that a
 * watch brings counts. Instants are of this machine's wall clock, silences are measured by a clock that does not jump.
 */
import { optional } from '../../../shared/kube/values/optional.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { SourceState } from '../../wire/source.ts';
import type { Silence } from './silence.ts';

export interface SourceDeps {
  /** Asks the API for something small. Rejects if the answer is none of the API, or does not come. */
  readonly probe: (signal: AbortSignal) => Promise<void>;
  readonly now: () => EpochMs;
  /** A clock that does not jump, ms. */
  readonly elapsed: () => number;
  /** Called when the API is lost, or answers again. */
  readonly onChange?: () => void;
  /** Closes all connections of before, which may be dead: when the API answers after a silence, before anything is read again, and when it is asked for. */
  readonly reconnect?: () => void;
}

/** An API that is asked. */
export interface Source {
  /** A watch has just brought something. That may come from memory, so it ends no silence. */
  heard(): void;
  /** Everything that is followed has come since the API answers. */
  caughtUp(): void;
  state(): SourceState;
  /** The last instant at which what is known was true. It stands still while the API is silent, and until all is read again. */
  asOf(): EpochMs;
  /** The silence that ended last: what was read before its end may be old. */
  silence(): Silence | undefined;
  /** Aborted when the API answers after a silence: what is followed has to be read again, by the signal that is here then. */
  round(): AbortSignal;
  /** Connections may be dead: what is asked next, and watches, connect anew. */
  reconnect(): void;
  /** Begins to ask. Returns what ends it. */
  start(): () => void;
}

/** A silence of the API (ms) after which it counts as lost. Displays say so within 5 s. */
export const LOST_MS = 4_000;
/** From an answer to the next question, and from a failure to it, ms. */
const [ASK_MS, AGAIN_MS] = [1_000, 500];
/** How long (ms) an answer may take. */
const ANSWER_MS = 3_000;
/** A difference (ms) between the two clocks that shows that this machine has slept, or that its clock was set. */
const JUMP_MS = 3_000;

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** When the API was heard last, by both clocks. */
interface Heard {
  readonly at: EpochMs;
  readonly elapsed: number;
}

/** Who hears how questions end. */
interface Asking {
  readonly answer: () => void;
  /** `isLate`: there was no answer in time. */
  readonly failure: (error: unknown, isLate: boolean) => void;
  readonly look: () => void;
}

/** Asks again and again, and looks at the clock meanwhile: a question may hang. Returns what ends it. */
const startAsking = (probe: SourceDeps['probe'], on: Asking): (() => void) => {
  const ended = new AbortController();
  let next: NodeJS.Timeout | undefined;
  const ask = async (): Promise<number> => {
    const late = AbortSignal.timeout(ANSWER_MS);
    try {
      await probe(AbortSignal.any([ended.signal, late]));
      on.answer();
      return ASK_MS;
    } catch (error) {
      on.failure(error, late.aborted);
      return AGAIN_MS;
    }
  };
  const turn = async (): Promise<void> => {
    const restMs = await ask();
    if (!ended.signal.aborted) next = setTimeout(() => void turn(), restMs);
  };
  const looking = setInterval(on.look, AGAIN_MS / 2);
  void turn();
  return () => {
    ended.abort();
    clearInterval(looking);
    clearTimeout(next);
  };
};

/** What an API that answers is: its followers have read everything or not. */
const kindOf = (hasRead: boolean, known: EpochMs | undefined): SourceState['is'] => {
  if (hasRead) return 'live';
  return known === undefined ? 'reading' : 'catching up';
};

/** Creates it. Nothing is asked before `start`. */
export const createSource = (deps: SourceDeps): Source => {
  const { probe, now, elapsed, onChange, reconnect = () => undefined } = deps;
  let heardAt: Heard = { at: now(), elapsed: elapsed() };
  let known: EpochMs | undefined;
  let [isLost, hasRead, isUnanswered, reason] = [false, false, false, ''];
  let silence: Silence | undefined;
  let round = new AbortController();

  const look = (): void => {
    if (isLost || elapsed() - heardAt.elapsed <= LOST_MS) return;
    isLost = true;
    hasRead = false;
    onChange?.();
  };
  const hasJumped = (): boolean => Math.abs(now() - heardAt.at - (elapsed() - heardAt.elapsed)) > JUMP_MS;
  /** Watches may hang on connections that are dead, and a machine that slept has missed what happened. */
  const readAgain = (): void => {
    silence = { from: heardAt.at, to: now() };
    [isLost, hasRead, isUnanswered, reason] = [false, false, false, ''];
    reconnect();
    round.abort();
    round = new AbortController();
  };
  const note = (): void => {
    heardAt = { at: now(), elapsed: elapsed() };
    if (hasRead) known = heardAt.at;
  };
  const answered = (): void => {
    look();
    // A question without an answer shows that connections are dead, also if the next one is answered before the API counts as lost.
    const isBack = isLost || isUnanswered || hasJumped();
    if (isBack) readAgain();
    note();
    if (isBack) onChange?.();
  };

  const start = (): (() => void) => {
    heardAt = { at: now(), elapsed: elapsed() };
    [isLost, hasRead, isUnanswered, reason] = [false, false, false, ''];
    const failure = (error: unknown, isLate: boolean): void => {
      reason = reasonOf(error);
      isUnanswered ||= isLate;
    };
    return startAsking(probe, { answer: answered, failure, look });
  };

  const asOf = (): EpochMs => known ?? heardAt.at;
  return {
    heard: () => {
      look();
      if (!isLost && !hasJumped()) note();
    },
    caughtUp: () => {
      hasRead = true;
      known = heardAt.at;
      onChange?.();
    },
    state: () => {
      look();
      const is = isLost ? 'lost' : kindOf(hasRead, known);
      return {
        is,
        asOf: asOf(),
        ...(is === 'lost' ? { since: heardAt.at, ...optional('reason', reason || undefined) } : {}),
      };
    },
    asOf,
    silence: () => silence,
    round: () => round.signal,
    reconnect,
    start,
  };
};
