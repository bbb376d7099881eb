/** Waits for a file in a folder. */
import { existsSync, type FSWatcher, watch } from 'node:fs';
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

/** Resolves with the first of the names that is there; with `undefined` after `ms` milliseconds. */
export const waitForFile = (
  folder: string,
  names: readonly string[],
  ms: number,
): Promise<string | undefined> => {
  const found = (): string | undefined => names.find((name) => existsSync(join(folder, name)));
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
