/** The record of the last shutdown, as a file. Source: kubernetes v1.34 pkg/kubelet/nodeshutdown `storage.go`. */
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { parseRecord, recordText } from '../domain/shutdown/record.ts';
import type { ShutdownRecordStore } from '../ports/shutdown.ts';

const FILE = 'graceful_node_shutdown_state';

/** On disk when it resolves, and whole even if the machine goes down meanwhile. */
const replace = async (folder: string, text: string): Promise<void> => {
  const temporary = join(folder, `.tmp-${FILE}`);
  const file = await open(temporary, 'w', 0o644);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, join(folder, FILE));
};

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** Keeps the record in `folder`, which is the agent's root. */
export const shutdownRecordFile = (folder: string): ShutdownRecordStore => ({
  load: async () => {
    try {
      return parseRecord(await readFile(join(folder, FILE), 'utf8'));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  },
  store: (record) => replace(folder, recordText(record)),
});
