/** How long a thread was ready to run and the machine ran something else: what is late because of that is not the doing of its program. */
import { readFileSync } from 'node:fs';

const NS_PER_MS = 1e6;

/** Milliseconds so far. Systems without `/proc/<pid>/schedstat` excuse nothing: 0. */
export type WaitedMs = () => number;

const reading =
  (path: string): WaitedMs =>
  () => {
    try {
      return Number(readFileSync(path, 'utf8').split(' ')[1] ?? 0) / NS_PER_MS;
    } catch {
      return 0;
    }
  };

/** Of the main thread of a process. */
export const waitedByProcess = (pid: number): WaitedMs => reading(`/proc/${pid}/task/${pid}/schedstat`);

/** Of the thread that asks. */
export const waitedByThisThread: WaitedMs = reading('/proc/thread-self/schedstat');
