/**
 * When the lines of a plain log were written. A program that writes to its log by itself gives no times, so the agent looks at the size now
 * and then and notes it with the time of the last write. A line has the time of the first note behind it: it is at most one look too late.
 * What was written while no agent ran has the time of the last write meanwhile.
 */
import type { EpochMs } from '../../../shared/kube/values/time.ts';

/** `offset`: how long the log was (bytes) when it had last been written to at `at`. */
export interface TimeNote {
  readonly offset: number;
  readonly at: EpochMs;
}

/** The length of notes beyond which they are thinned (bytes): some 20,000 of them. No more is read than twice as much. */
export const THINNED_NOTES = 512 * 1024;
export const MOST_NOTES = 2 * THINNED_NOTES;

/** Notes in the order of their offsets; lines that are no notes are left out, such as one that was cut. */
export const timeNotesIn = (text: string): readonly TimeNote[] =>
  text.split('\n').flatMap((line) => {
    const [offset, at, ...rest] = line.split(' ').map(Number);
    const isNote = Number.isSafeInteger(offset) && Number.isSafeInteger(at) && rest.length === 0;
    return isNote ? [{ offset: offset ?? 0, at: at ?? 0 }] : [];
  });

export const timeNoteText = ({ offset, at }: TimeNote): string => `${offset} ${at}\n`;

/** The place of the first note that fulfils what all behind it fulfil, too. */
const firstPlace = (notes: readonly TimeNote[], isBehind: (note: TimeNote) => boolean): number => {
  let [low, high] = [0, notes.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const note = notes[middle];
    if (note && isBehind(note)) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** When the line that ends at `end` was written; `latest`: the last write to the log. */
export const timeOfLine = (notes: readonly TimeNote[], end: number, latest: EpochMs): EpochMs =>
  notes[firstPlace(notes, ({ offset }) => offset >= end)]?.at ?? latest;

/** An offset before which all lines are older than `since`. */
export const startOf = (notes: readonly TimeNote[], since: EpochMs): number => {
  const isBefore = notes.findIndex(({ at }) => at >= since);
  const last = isBefore < 0 ? notes.at(-1) : notes[isBefore - 1];
  return last?.offset ?? 0;
};

/** Notes for a file of bounded size: those of lines that are gone are dropped, and of the others every second one. */
export const thinned = (notes: readonly TimeNote[], keptFrom: number): readonly TimeNote[] => {
  const kept = notes.filter(({ offset }) => offset > keptFrom);
  return kept.filter((_, index) => (kept.length - 1 - index) % 2 === 0);
};
