/** What the agent and the one who kills it agree on. */
import { join } from 'node:path';
import { createTrash } from '../../agent/adapters/linux/trees/remove-tree.ts';
import type { OciRuntimeOptions } from '../../agent/adapters/oci-runtime/oci-runtime.ts';

/** Of the runtime, in the folder of a run. */
export const rootOf = (folder: string): string => join(folder, 'root');

/** What is being deleted. */
export const trashOf = (folder: string): string => join(folder, 'trash');

/** A folder and a control group for one run. */
export const chaosOptions = (
  folder: string,
  podsCgroup: string,
): Pick<
  OciRuntimeOptions,
  'root' | 'podsCgroup' | 'trash' | 'now' | 'logs' | 'logPeriodMs' | 'sweepPeriodMs' | 'report'
> => ({
  root: rootOf(folder),
  podsCgroup,
  trash: createTrash({
    folder: trashOf(folder),
    log: (message) => process.stdout.write(`error ${message}\n`),
  }),
  now: Date.now,
  logs: { maxSize: 10_000, maxFiles: 2 },
  logPeriodMs: 50,
  sweepPeriodMs: 200,
  report: (error) => process.stdout.write(`error ${String(error)}\n`),
});

/** What the OCI runtime keeps of its containers. */
export const stateOf = (folder: string): string => join(folder, 'state');

/** Containers of any user may write there. */
export const marksOf = (folder: string): string => join(folder, 'marks');

/** All that the containers tell. */
export const ledgerOf = (folder: string): string => join(marksOf(folder), 'ledger');

/**
 * Says that it was started, and holds a lock as long as a process of its tree lives: `double` says that another has it. It leaves a
 * process of another session behind when it ends.
 */
export const chaosProgram = (folder: string, key: string, restartCount: number): string =>
  [
    `exec 9>>${join(marksOf(folder), `lock-${key.replace('/', '-')}`)}`,
    `flock -n 9 || echo "double ${key} ${restartCount}" >> ${ledgerOf(folder)}`,
    `echo "start ${key} ${restartCount}" >> ${ledgerOf(folder)}`,
    'setsid sleep 300 &',
    'seq 3000',
    restartCount % 2 === 0 ? 'sleep 300' : 'sleep 0.3',
    'exit 3',
  ].join('\n');
