/** Keeps what was read of a text that rarely changes, and reads it again after a minute. */
import type { EpochMs } from '../../kube/values/time.ts';
import type { Clock } from '../../ports/process/clock.ts';
import { KEYS_MAX_AGE_MS } from './key-rotation.ts';

/** Milliseconds between an early or a failed read and the next one, so that neither failures nor forged tokens cause many. */
const PAUSE_MS = 1_000;
/** Milliseconds for which keys stay valid while they cannot be read. */
const MAX_STALE_MS = 60 * 60_000;

/** A text, and when it was stored (ms). */
export interface StoredText {
  readonly text: string;
  readonly storedAt: EpochMs;
}

/** Where the text is, and what is made of it. */
export interface TextSource<T> {
  readonly clock: Pick<Clock, 'now'>;
  read(): Promise<StoredText>;
  /** Not called for a text that is the one before. If it throws, the text counts as one that cannot be read. */
  take(stored: StoredText): T | Promise<T>;
}

/** What was read last. */
export interface KeptReading<T> {
  /** Read less than a minute ago, or up to an hour ago while the text cannot be read. Rethrows the error after that. */
  present(): Promise<T>;
  /** Read now; `undefined` if the last attempt is less than a second ago. Rethrows the error of the read. */
  early(): Promise<T | undefined>;
}

interface Good<T> {
  readonly text: string;
  readonly value: T;
  readonly at: EpochMs;
}

/** The last value that was read, and the last attempt. */
interface Attempts<T> {
  good?: Good<T>;
  pending?: Promise<T>;
  failure?: { readonly error: unknown; readonly at: EpochMs };
}

const readOnce = <T>(attempts: Attempts<T>, { clock, read, take }: TextSource<T>): Promise<T> => {
  const at = clock.now();
  const attempt = async (): Promise<T> => {
    try {
      const stored = await read();
      const { text } = stored;
      const value = attempts.good?.text === text ? attempts.good.value : await take(stored);
      attempts.good = { text, value, at };
      delete attempts.failure;
      return value;
    } catch (error) {
      attempts.failure = { error, at };
      throw error;
    } finally {
      delete attempts.pending;
    }
  };
  attempts.pending ??= attempt();
  return attempts.pending;
};

/** Whether an attempt is recent. One in the future is not, because the clock was set back since. */
const isRecent = (at: EpochMs, ageMs: number, now: EpochMs): boolean => now >= at && now - at < ageMs;

const readPresent = async <T>(attempts: Attempts<T>, source: TextSource<T>): Promise<T> => {
  const now = source.clock.now();
  const { good, failure } = attempts;
  if (good && isRecent(good.at, KEYS_MAX_AGE_MS, now)) return good.value;
  try {
    if (failure && isRecent(failure.at, PAUSE_MS, now)) throw failure.error;
    return await readOnce(attempts, source);
  } catch (error) {
    if (good && isRecent(good.at, MAX_STALE_MS, now)) return good.value;
    throw error;
  }
};

const readEarly = async <T>(attempts: Attempts<T>, source: TextSource<T>): Promise<T | undefined> => {
  const now = source.clock.now();
  const { good, failure, pending } = attempts;
  const isTooEarly = [good, failure].some((last) => last && isRecent(last.at, PAUSE_MS, now));
  return isTooEarly && !pending ? undefined : readOnce(attempts, source);
};

/** Reads at most once a minute, and early at most once a second. */
export const createKeptReading = <T>(source: TextSource<T>): KeptReading<T> => {
  const attempts: Attempts<T> = {};
  return {
    present: () => readPresent(attempts, source),
    early: () => readEarly(attempts, source),
  };
};
