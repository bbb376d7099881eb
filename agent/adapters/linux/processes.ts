/** The machine's processes, from `/proc`. */
import { readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { ProcessMark } from '../../rules/machine/process-mark.ts';
import { type ProcessStat, processStatIn } from '../../rules/machine/process-stat.ts';
import { kernelText } from './kernel-text.ts';

const textOf = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
};

const statOf = (pid: number): ProcessStat | undefined => processStatIn(kernelText(`/proc/${pid}/stat`) ?? '');

/** Whether this very process runs, not a later one with its number. */
export const isAlive = ({ pid, startTime }: ProcessMark): boolean => {
  const stat = statOf(pid);
  return stat?.startTime === startTime && stat.state !== 'Z' && stat.state !== 'X';
};

/** All but the first one of the machine and this very one. */
export const otherProcesses = (): readonly number[] =>
  readdirSync('/proc')
    .flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
    .filter((pid) => pid > 1 && pid !== process.pid);

/** Those of them that have `text` in their command line. */
export const processesNaming = (text: string): readonly number[] => {
  const bytes = Buffer.from(text).toString('latin1');
  return otherProcesses().filter((pid) => textOf(`/proc/${pid}/cmdline`)?.includes(bytes));
};

/** Changes each time that the machine starts. */
export const readBootId = (): string => (kernelText('/proc/sys/kernel/random/boot_id') ?? '').trim();

/** A process of now; `undefined`: there is none of this number. */
export const markOf = (pid: number): ProcessMark | undefined => {
  const startTime = statOf(pid)?.startTime;
  return startTime === undefined ? undefined : { pid, startTime };
};

/** The agent itself. */
export const ownMark = (): ProcessMark => markOf(process.pid) ?? { pid: process.pid, startTime: '0' };

const REALTIME = /^SIGRTMIN(?:\+(\d+))?$/;
/** The first real-time signal that the C library leaves to programs. */
const FIRST_REALTIME = 34;

/** The number of a signal such as `SIGTERM` or `SIGRTMIN+3`; `undefined` if there is none of that name. */
export const signalNumber = (name: string): number | undefined => {
  const [match, offset = '0'] = REALTIME.exec(name) ?? [];
  if (match !== undefined) return FIRST_REALTIME + Number(offset);
  return Object.entries(constants.signals).find(([known]) => known === name)?.[1];
};

/** Sends a signal. That the process is gone is no error. */
export const sendSignal = (pid: number, signal: number): void => {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
};
