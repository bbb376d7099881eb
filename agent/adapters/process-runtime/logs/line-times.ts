/** Notes when logs were written, beside each of them. */
import { existsSync, rmSync } from 'node:fs';
import { appendFile, lstat, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  MOST_NOTES,
  THINNED_NOTES,
  type TimeNote,
  thinned,
  timeNotesIn,
  timeNoteText,
} from '../../../rules/logs/line-times.ts';
import { timesName } from '../../../rules/runtime/log-files.ts';
import { textAtMost } from '../../linux/bounded-file.ts';
import { keptFrom, type LogPlace } from './logs.ts';

const notesIn = async (path: string): Promise<readonly TimeNote[]> =>
  timeNotesIn(await textAtMost(path, MOST_NOTES));

const thin = async (place: LogPlace, path: string): Promise<void> => {
  const notes = thinned(await notesIn(path), await keptFrom(place));
  await writeFile(`${path}.new`, notes.map(timeNoteText).join(''), { mode: 0o600 });
  await rename(`${path}.new`, path);
};

const sizeOf = async (path: string): Promise<number> => (await lstat(path).catch(() => undefined))?.size ?? 0;

/** Looks at logs. It remembers their lengths, so that one that has not grown costs one look. */
export interface LineTimes {
  /** To be called now and then, and before the log is rotated, which changes the time of its last write. */
  note(place: LogPlace): Promise<void>;
  /** Forgets all logs but these. */
  keep(places: ReadonlySet<string>): void;
}

const noteIn = async (lengths: Map<string, number>, place: LogPlace): Promise<void> => {
  const log = join(place.folder, place.name);
  const stat = await lstat(log).catch(() => undefined);
  const path = timesName(log);
  const known = lengths.get(log) ?? (await notesIn(path)).at(-1)?.offset ?? 0;
  lengths.set(log, stat?.size ?? 0);
  if (!stat || stat.size <= known) return;
  const text = timeNoteText({ offset: stat.size, at: Math.floor(stat.mtimeMs) });
  await appendFile(path, text, { mode: 0o600 });
  if ((await sizeOf(path)) > THINNED_NOTES) await thin(place, path);
};

/** A log that is removed meanwhile leaves no notes. */
const noteUnlessRemoved = async (lengths: Map<string, number>, place: LogPlace): Promise<void> => {
  const log = join(place.folder, place.name);
  try {
    await noteIn(lengths, place);
  } catch (error) {
    if (existsSync(log)) throw error;
  }
  if (!existsSync(log)) rmSync(timesName(log), { force: true });
};

/** One note after the other, whoever asks for them. */
export const createLineTimes = (): LineTimes => {
  const lengths = new Map<string, number>();
  let last: Promise<void> = Promise.resolve();
  return {
    note: (place) => {
      const noted = last.then(() => noteUnlessRemoved(lengths, place));
      last = noted.catch(() => undefined);
      return noted;
    },
    keep: (places) => {
      for (const log of lengths.keys()) if (!places.has(log)) lengths.delete(log);
    },
  };
};
