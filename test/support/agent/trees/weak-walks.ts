/** What the agent must not do: walks by path. A test that these pass sees nothing. */
import { chmodSync, chownSync, lstatSync, readdirSync, rmdirSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

const tried = (call: () => void): void => {
  try {
    call();
  } catch {
    // It was swapped meanwhile.
  }
};

/** Looks first, and then does something by the same path. */
const walk = (path: string, each: (path: string, isFolder: boolean) => void): void => {
  const isFolder = lstatSync(path).isDirectory();
  if (isFolder) for (const name of readdirSync(path)) tried(() => walk(join(path, name), each));
  each(path, isFolder);
};

export const removeByPath = (root: string): void =>
  tried(() => walk(root, (path, isFolder) => tried(() => (isFolder ? rmdirSync(path) : unlinkSync(path)))));

export const giveByPath = (root: string, gid: number): void =>
  tried(() =>
    walk(root, (path) =>
      tried(() => {
        const { uid, mode } = statSync(path);
        chownSync(path, uid, gid);
        chmodSync(path, (mode & 0o7777) | 0o060);
      }),
    ),
  );

/** Bytes of all files that a walk by path reaches. */
export const bytesByPath = (root: string): number => {
  let bytes = 0;
  tried(() =>
    walk(root, (path, isFolder) => {
      bytes += isFolder ? 0 : lstatSync(path).size;
    }),
  );
  return bytes;
};
