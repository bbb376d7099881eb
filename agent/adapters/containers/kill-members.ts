/** Ends the processes of a container, or of a command in it, on a machine without control groups. */
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { ProcessMark } from '../../rules/machine/process-mark.ts';
import { processStatIn } from '../../rules/machine/process-stat.ts';
import { type Leader, membersOf, type SeenProcess } from '../../rules/plain/members.ts';
import { isAlive, otherProcesses, sendSignal } from '../linux/processes.ts';

/** By what processes are known: a variable of their environment, and the first of them. */
export interface Group {
  readonly variable: string;
  readonly value: string;
  readonly leader?: Leader | undefined;
  /** Of which processes they can be; absent: of all but the agent. */
  readonly isCandidate?: (pid: number) => boolean;
}

/** Variable by which the processes of a container are known; its value is the container's folder. */
export const MARKER = 'ROLLCALL_PLAIN_CONTAINER';

const SIGKILL = 9;
const ROUNDS = 100;
const ROUND_MS = 20;
/** A process that is just becoming another program shows no environment, so one look is not enough. */
const LOOKS = 2;

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

const statOf = (pid: number) => processStatIn(textOf(`/proc/${pid}/stat`));

const seen = (pid: number, entry: string): readonly SeenProcess[] => {
  const stat = statOf(pid);
  if (!stat || stat.state === 'Z' || stat.state === 'X') return [];
  const { startTime, parent, session } = stat;
  const isMarked = textOf(`/proc/${pid}/environ`).split('\0').includes(entry);
  return [{ pid, startTime, parent, session, isMarked }];
};

/** Those that live. The agent itself is no member, whoever started it. */
const findMembers = ({
  variable,
  value,
  leader,
  isCandidate = () => true,
}: Group): readonly ProcessMark[] => {
  const entry = `${variable}=${value}`;
  return membersOf(
    otherProcesses()
      .filter(isCandidate)
      .flatMap((pid) => seen(pid, entry)),
    leader,
  );
};

/** Sends it to all members, and returns how many there are. A number that was given to another process meanwhile is left alone. */
export const signalMembers = (group: Group, signal: number): number => {
  const members = findMembers(group).filter(isAlive);
  for (const { pid } of members) sendSignal(pid, signal);
  return members.length;
};

/** Resolves when no member is left; after two seconds at the latest, because a process may hang in the kernel. */
export const killMembers = async (group: Group): Promise<void> => {
  for (let round = 0, empty = 0; round < ROUNDS && empty < LOOKS; round += 1) {
    empty = signalMembers(group, SIGKILL) === 0 ? empty + 1 : 0;
    if (empty < LOOKS) await wait(ROUND_MS);
  }
};
