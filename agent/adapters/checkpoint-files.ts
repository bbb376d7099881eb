/** Checkpoint files in a folder. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckpointStore } from '../ports/pods/pod-resources.ts';
import { makeFolder, PRIVATE_FOLDER } from './linux/closed-folder.ts';
import { replaceFile } from './linux/whole-files.ts';

/** A file is replaced as a whole, so that a crash leaves the old one or the new one. */
export const checkpointFiles = (folder: string): CheckpointStore => ({
  read: (name) => {
    const path = join(folder, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  },
  write: (name, text) => {
    makeFolder(folder, PRIVATE_FOLDER);
    replaceFile(join(folder, name), text);
  },
  path: (name) => join(folder, name),
});
