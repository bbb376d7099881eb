/** How often a node beats: more often for a short time after its work has changed, because more changes often follow. */
import { renewPauseMs } from './lease.ts';

/** What is known of the announcements of work. */
export interface BeatPace {
  /** The revision that was announced last; `undefined`: none yet. */
  readonly revision?: string;
  /** Until when beats are fast, in ms of uptime. */
  readonly fastUntil: number;
}

/** The pause between fast beats, ms. */
const FAST_MS = 1_000;
/** For how long a revision makes beats fast, ms. */
const FAST_FOR_MS = 15_000;

export const INITIAL_PACE: BeatPace = { fastUntil: 0 };

/** The pace after an answer with this revision at `uptime`. The first one is no change: the agent that starts reads its work anyway. */
export const paceAfter = (pace: BeatPace, revision: string, uptime: number): BeatPace => {
  if (pace.revision === revision) return pace;
  return { revision, fastUntil: pace.revision === undefined ? pace.fastUntil : uptime + FAST_FOR_MS };
};

/** The pause before the next beat, ms. `chance` is from 0 up to 1. */
export const beatPauseMs = (pace: BeatPace, uptime: number, intervalMs: number, chance: number): number =>
  renewPauseMs(uptime < pace.fastUntil ? Math.min(FAST_MS, intervalMs) : intervalMs, chance);
