/** The signing keys of the host's folder, read again when their file changes: keys are replaced while the host runs. */
import { statSync } from 'node:fs';
import type { KeySet } from '../../shared/adapters/secrets/key-set.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { SigningKeys } from '../../shared/ports/signing-keys.ts';
import { ensureSigningKeys, type HostPaths } from '../serving/files.ts';

/** Milliseconds between two looks at the file, however many requests come. */
const LOOK_MS = 1_000;

export interface FolderKeys {
  readonly paths: HostPaths;
  readonly clock: Pick<Clock, 'now'>;
  readonly onNotice: (notice: string) => void;
}

// Two changes may come within one tick of the file system's clock; but each makes a new file.
const stampOf = ({ signingKey }: HostPaths): string | undefined => {
  const stats = statSync(signingKey, { throwIfNoEntry: false });
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
};

/** Throws where the file is damaged; later damage is a notice, and the keys stay as they were. */
export const createFolderSigningKeys = ({ paths, clock, onNotice }: FolderKeys): SigningKeys => {
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
    current: async () => present().current,
    find: async (kid) => present().secrets.get(kid),
  };
};
