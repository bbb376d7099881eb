/** How a display stands to its source: what all messages of the server say, and how long a page waits for one. Pure. */
import type { EpochMs } from '../../shared/kube/values/time.ts';

/**
 * `reading`: the first state has not come. `live`: the source answers, and everything has come. `catching up`: it answers again, and not everything has come
 * since. `lost`: it does not answer. `refused`: it answers, and does not say what is asked.
 */
export type SourceIs = 'reading' | 'live' | 'catching up' | 'lost' | 'refused';

/** The state of a source. */
export interface SourceState {
  readonly is: SourceIs;
  /** The last instant at which what is shown was true, by the server's clock. */
  readonly asOf: EpochMs;
  /** When the source answered last, if it is lost. */
  readonly since?: EpochMs;
  /** Why it is lost, or what it refuses with. */
  readonly reason?: string;
}

/** A server sends a message at least this often (ms), even if nothing has changed. */
export const ALIVE_MS = 1_000;
/** A page that hears nothing for so long (ms) has lost its server. */
export const SILENCE_MS = 4_000;
