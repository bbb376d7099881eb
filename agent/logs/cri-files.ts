/** The files of a log in the format of the CRI, in their order, while the log is rotated. */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { openRegular } from '../adapters/linux/bounded-file.ts';
import { rotatedCriNames } from '../rules/runtime/log-files.ts';
import { openPart, type Part, unlessAbsent } from './cri-part.ts';

/** A file of the log, open. */
export interface LogFile {
  readonly part: Part;
  /** The last name of a rotated file that is not behind this one: its own if it was rotated when it was opened. Empty: all are behind it. */
  readonly name: string;
}

/** The name stays the same when the file is compressed. */
const nameOf = (file: string): string => file.replace(/\.gz$/, '');

const rotatedNames = async (path: string): Promise<readonly string[]> =>
  rotatedCriNames(basename(path), (await readdir(dirname(path)).catch(unlessAbsent)) ?? []);

/** `undefined`: it was deleted meanwhile. */
const openRotated = async (path: string, file: string): Promise<LogFile | undefined> => {
  const name = nameOf(file);
  const plain = join(dirname(path), name);
  // It may have been compressed since it was listed.
  const part = (file === name ? await openPart(plain) : undefined) ?? (await openPart(`${plain}.gz`));
  return part && { part, name };
};

export const closeAll = async (files: readonly LogFile[]): Promise<void> => {
  await Promise.all(files.map(({ part }) => part.close()));
};

/** Up to the newest itself, if it was rotated since it was opened: what is behind it is found once it was read. */
const openInto = async (files: LogFile[], path: string, newest: Part | undefined): Promise<void> => {
  for (const name of await rotatedNames(path)) {
    const file = await openRotated(path, name);
    if (file) files.push(file);
    if (file && file.part.inode === newest?.inode) return await newest.close();
  }
  if (newest) files.push({ part: newest, name: files.at(-1)?.name ?? '' });
};

/** All that there are, oldest first. While the log is rotated, the newest may be missing. Rejects if there is none. */
export const openFiles = async (path: string): Promise<readonly LogFile[]> => {
  const files: LogFile[] = [];
  // The newest comes first, so that a rotation meanwhile leaves nothing out.
  const newest = await openPart(path);
  try {
    await openInto(files, path, newest);
  } catch (error) {
    await Promise.all([newest?.close(), closeAll(files)]);
    throw error;
  }
  if (files.length > 0) return files;
  // Made meanwhile, or there is none.
  await (await openRegular(path)).close();
  return await openFiles(path);
};

/** A file that was compressed is another one. */
const isSame = async (one: Part, other: Part): Promise<boolean> =>
  one.inode === other.inode ||
  (other.isCompressed && (await one.beginning()).equals(await other.beginning()));

/** The oldest rotated file behind this one, which may have been rotated itself since it was opened. */
const rotatedBehind = async (
  path: string,
  { part }: LogFile,
  names: readonly string[],
): Promise<LogFile | undefined> => {
  for (const name of names) {
    const next = await openRotated(path, name);
    if (next && !(await isSame(part, next.part))) return next;
    await next?.part.close();
  }
  return undefined;
};

/** The file behind one that was read to its end. `undefined`: there is none yet, as it is the newest or the runtime has still to make the next. */
export const openBehind = async (path: string, file: LogFile): Promise<LogFile | undefined> => {
  const newest = await openPart(path);
  if (newest?.inode === file.part.inode) {
    await newest?.close();
    return undefined;
  }
  const names = (await rotatedNames(path)).filter((name) => nameOf(name) > file.name);
  const rotated = await rotatedBehind(path, file, names);
  if (!rotated) return newest && { part: newest, name: nameOf(names.at(-1) ?? file.name) };
  await newest?.close();
  return rotated;
};
