/** Files and folders that are whole or not there at all, whenever the agent is killed. */
import { existsSync, linkSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder, PRIVATE_FOLDER } from './closed-folder.ts';

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** The text; `undefined` if the file is not there. */
export const textIn = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
};

/** The value of a file of JSON; `undefined` if it is not there, or damaged: one pod must not stop all others. */
export const jsonIn = <T>(path: string): T | undefined => {
  try {
    return JSON.parse(textIn(path) ?? '') as T;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

/** Replaces the file. */
export const replaceFile = (path: string, text: string): void => {
  const temporary = `${path}.new`;
  writeFileSync(temporary, text, { mode: 0o600, flush: true });
  renameSync(temporary, path);
};

/** Makes the file, unless somebody has; answers whether it did. */
export const createOnce = (path: string, text: string): boolean => {
  const temporary = `${path}.agent-${process.pid}`;
  try {
    writeFileSync(temporary, text, { mode: 0o600 });
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
};

/** What a folder is called while it is being made. */
export const HALF_MADE = '.new-';

/** Makes a folder with these files, unless it is there. */
export const createFolder = (folder: string, files: Readonly<Record<string, string>>): void => {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder), PRIVATE_FOLDER);
  const temporary = mkdtempSync(join(dirname(folder), HALF_MADE));
  try {
    for (const [name, text] of Object.entries(files))
      writeFileSync(join(temporary, name), text, { mode: 0o600, flush: true });
    renameSync(temporary, folder);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
  }
};
