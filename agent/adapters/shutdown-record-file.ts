/** The record of the last shutdown, as a file. Source: kubernetes v1.34 pkg/kubelet/nodeshutdown `storage.go`. */
import { join } from 'node:path';
import type { ShutdownRecordStore } from '../ports/machine/shutdown.ts';
import { parseRecord, recordText } from '../rules/shutdown/record.ts';
import { replaceFile, textIfThere } from './replace-file.ts';

const FILE = 'graceful_node_shutdown_state';

/** Keeps the record in `folder`, which is the agent's root. */
export const shutdownRecordFile = (folder: string): ShutdownRecordStore => ({
  load: async () => {
    const text = await textIfThere(join(folder, FILE));
    return text === undefined ? undefined : parseRecord(text);
  },
  store: (record) => replaceFile(join(folder, FILE), recordText(record), 0o644),
});
