/**
 * The signing keys of the host's folder. They are read again when their file changes, so that keys can be replaced at run
 * time.
 */
import { statSync } from 'node:fs';
import type { KeySet } from '../../shared/adapters/secrets/key-set.ts';
import type { KeysAtOnce, SigningKeys } from '../../shared/ports/outside/signing-keys.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import { ensureSigningKeys, type HostPaths } from '../../shared/serving/machine/files.ts';

/** Shortest time (ms) between two checks whether the file has changed. */
const LOOK_MS = 1_000;

/** Dependencies of the signing keys of a folder. */
export interface FolderKeys {
  readonly paths: HostPaths;
  readonly clock: Pick<Clock, 'now'>;
  readonly onNotice: (notice: string) => void;
}

// The inode tells apart two changes in one tick of the file system's clock: each change creates a new file.
const stampOf = ({ signingKey }: HostPaths): string | undefined => {
  const stats = statSync(signingKey, { throwIfNoEntry: false });
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
};

/**
 * Creates the keys if there are none. Throws if their file is damaged. If it is damaged later, gives a notice and keeps the
 * old keys.
 */
export const createFolderSigningKeys = ({ paths, clock, onNotice }: FolderKeys): SigningKeys & KeysAtOnce => {
  let keys: KeySet = ensureSigningKeys(paths);
  let [stamp, lookedAt] = [stampOf(paths), clock.now()];

  const readAgain = (): void => {
    try {
      keys = ensureSigningKeys(paths);
    } catch (error) {
      onNotice(
        `the signing keys stay as they were: ${error instanceof Error ? error.message : 'unreadable'}`,
      );
    }
  };

  const present = (): KeySet => {
    const now = clock.now();
    if (Math.abs(now - lookedAt) < LOOK_MS) return keys;
    lookedAt = now;
    const changed = stampOf(paths);
    if (changed !== undefined && changed !== stamp) {
      stamp = changed;
      readAgain();
    }
    return keys;
  };

  return {
    now: () => present().current,
    current: async () => present().current,
    find: async (kid) => present().secrets.get(kid),
  };
};
