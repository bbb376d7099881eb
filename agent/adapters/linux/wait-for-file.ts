/** Waits for a file in a folder. */
import { type FSWatcher, statSync, watch } from 'node:fs';
import { join } from 'node:path';

/** How often it looks where the kernel does not tell (ms). */
const LOOK_MS = 250;

/** Calls back when something in the folder changes; `undefined` if the kernel has no watch left. Errors end the watch. */
export const watchFolder = (folder: string, callback: (name: string) => void): FSWatcher | undefined => {
  try {
    const watcher = watch(folder, { persistent: false }, (_, name) => callback(name ?? ''));
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
};

/** A shell makes a file before it writes it. */
const isWritten = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** Resolves with the first of the names that has been written; with `undefined` after `ms` milliseconds. */
export const waitForFile = (
  folder: string,
  names: readonly string[],
  ms: number,
): Promise<string | undefined> => {
  const found = (): string | undefined => names.find((name) => isWritten(join(folder, name)));
  return new Promise((resolve) => {
    const finish = (name: string | undefined): void => {
      watcher?.close();
      clearInterval(interval);
      clearTimeout(timeout);
      resolve(name);
    };
    const look = (): void => {
      const name = found();
      if (name !== undefined) finish(name);
    };
    const watcher = watchFolder(folder, look);
    const interval = setInterval(look, LOOK_MS);
    const timeout = setTimeout(() => finish(found()), ms);
    look();
  });
};
