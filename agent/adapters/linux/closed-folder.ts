/** Folders whose modes are set, whatever the agent's umask is, and whatever mode one of this name had before. */
import { chmodSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Of folders that only the agent needs. */
export const PRIVATE_FOLDER = 0o700;
/** Of folders with logs, which those of the agent's group may collect. */
export const LOG_FOLDER = 0o750;

/** Makes the folder, and those above it that are missing, with this mode. One above that was there keeps its own. */
export const makeFolder = (folder: string, mode: number): void => {
  const first = mkdirSync(folder, { recursive: true, mode });
  chmodSync(folder, mode);
  if (first === undefined) return;
  for (let above = folder; above !== first; ) {
    above = dirname(above);
    chmodSync(above, mode);
  }
};
