/** Notes when logs were written, beside each of them. */
import { appendFileSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TimeNote, thinned, timeNotesIn, timeNoteText } from '../../../rules/logs/line-times.ts';
import { timesName } from '../../../rules/runtime/log-files.ts';
import { keptFrom, type LogPlace } from './logs.ts';

/** How long the notes of a log get before they are thinned (bytes): some 20,000 of them. */
const MOST_BYTES = 512 * 1024;

const notesIn = (path: string): readonly TimeNote[] => {
  if (!statSync(path, { throwIfNoEntry: false })) return [];
  return timeNotesIn(readFileSync(path, 'utf8'));
};

const thin = (place: LogPlace, path: string): void => {
  const notes = thinned(notesIn(path), keptFrom(place));
  writeFileSync(`${path}.new`, notes.map(timeNoteText).join(''));
  renameSync(`${path}.new`, path);
};

/** Looks at logs. It remembers their lengths, so that one that has not grown costs one look. */
export interface LineTimes {
  /** To be called now and then, and before the log is rotated, which changes the time of its last write. */
  note(place: LogPlace): void;
  /** Forgets all logs but these. */
  keep(places: ReadonlySet<string>): void;
}

export const createLineTimes = (): LineTimes => {
  const lengths = new Map<string, number>();
  return {
    note: (place) => {
      const log = join(place.folder, place.name);
      const stat = statSync(log, { throwIfNoEntry: false });
      const path = timesName(log);
      const known = lengths.get(log) ?? notesIn(path).at(-1)?.offset ?? 0;
      lengths.set(log, stat?.size ?? 0);
      if (!stat || stat.size <= known) return;
      appendFileSync(path, timeNoteText({ offset: stat.size, at: Math.floor(stat.mtimeMs) }), {
        mode: 0o640,
      });
      if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MOST_BYTES) thin(place, path);
    },
    keep: (places) => {
      for (const log of lengths.keys()) if (!places.has(log)) lengths.delete(log);
    },
  };
};
