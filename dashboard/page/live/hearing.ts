/** What a page knows of its sources from the messages of one stream, and the clock by which it judges. Pure but for its own state. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { SILENCE_MS, type SourceState } from '../../wire/source.ts';
import { type Connection, type Standing, standingOf } from './standing.ts';

/** What each message says of the source. */
export interface Sign {
  /** The server's clock, ms. */
  readonly now: EpochMs;
  readonly source: SourceState;
  /** Whether everything has come with it. */
  readonly isWhole: boolean;
}

/** What is known of the sources. */
export interface Hearing {
  heard(sign: Sign): void;
  connected(connection: Connection): void;
  standing(): Standing;
  /** The server's clock (ms) while the sources are live; else the last instant at which what is shown was true. */
  now(): EpochMs;
  /** How long (ms) the sources were silent, if they have been live again for a short time only. */
  returnedAfter(): number | undefined;
}

/** How long (ms) the page says that a silence is over. */
const BACK_MS = 10_000;

/** Creates it. `elapsed`: a clock that does not jump, ms. */
export const createHearing = (elapsed: () => number): Hearing => {
  let connection: Connection = { is: 'connecting' };
  let sign: Sign | undefined;
  let heardAt = elapsed();
  let lostAt: number | undefined;
  let back: { readonly at: number; readonly ms: number } | undefined;

  const standing = (): Standing =>
    standingOf({ connection, source: sign?.source, isWhole: sign?.isWhole === true });
  /** How long (ms) the API had been silent when the server said so. */
  const silentBefore = (state: Standing): number =>
    state.is === 'lost' && state.who === 'API' && sign ? Math.max(0, sign.now - state.since) : 0;
  const note = (): void => {
    const state = standing();
    if (state.is === 'lost') lostAt ??= heardAt - silentBefore(state);
    if (state.is !== 'live' || lostAt === undefined) return;
    back = { at: elapsed(), ms: elapsed() - lostAt };
    lostAt = undefined;
  };
  const now = (): EpochMs => {
    if (!sign) return 0;
    const { source } = sign;
    if (standing().is !== 'live') return source.asOf;
    // A server that slept has a clock that jumped, and has not heard its own source since.
    return Math.min(sign.now, source.asOf + SILENCE_MS) + Math.min(elapsed() - heardAt, SILENCE_MS);
  };

  return {
    heard: (given) => {
      [sign, heardAt] = [given, elapsed()];
      note();
    },
    connected: (given) => {
      connection = given;
      note();
    },
    standing,
    now,
    returnedAfter: () => (back && elapsed() - back.at < BACK_MS ? back.ms : undefined),
  };
};
