/** Checkpoint files in a folder. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckpointStore } from '../ports/pods/pod-resources.ts';
import { replaceFile } from './process-runtime/logs/files.ts';

/** A file is replaced as a whole, so that a crash leaves the old one or the new one. */
export const checkpointFiles = (folder: string): CheckpointStore => ({
  read: (name) => {
    const path = join(folder, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  },
  write: (name, text) => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    replaceFile(join(folder, name), text);
  },
  path: (name) => join(folder, name),
});
