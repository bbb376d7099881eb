/** By what a command in a container, with all that it has started, is ended. */
import { readlinkSync } from 'node:fs';
import type { ProcessMark } from '../../../rules/machine/process-mark.ts';
import { killMembers } from '../../containers/kill-members.ts';
import type { Place } from '../../containers/places.ts';
import { textAtMost } from '../../linux/bounded-file.ts';
import { markOf } from '../../linux/processes.ts';
import type { OciParts } from '../containers/parts.ts';

export interface CommandGroup {
  /** Of the runtime. */
  readonly options: readonly string[];
  /** Of the command, such as `NAME=value`. */
  readonly environment: readonly string[];
  readonly kill: () => Promise<void>;
  readonly forget: () => void;
}

/** A group below that of the container. */
const controlGroup = ({ groups }: OciParts, { group }: Place, name: string): CommandGroup => ({
  options: ['--cgroup', groups.makeBelow(group, name)],
  environment: [],
  kill: () => groups.kill(`${group}/${name}`),
  forget: () => groups.removeBelow(group, name),
});

const MARKER = 'ROLLCALL_COMMAND';

/** The namespace of processes of a process; `undefined`: it is gone. */
const namespaceOf = (pid: number): string | undefined => {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
  }
};

const MOST_PID = 32;

/** `undefined`: the command has not begun, or is gone. */
const leaderIn = async (pidFile: string) => {
  const pid = Number(await textAtMost(pidFile, MOST_PID));
  const mark = pid > 0 ? markOf(pid) : undefined;
  return mark && { ...mark, hasJustEnded: false };
};

/**
 * Without control groups its processes are known by their session and by a variable. What has left both ends with the container, whose
 * namespace no process leaves.
 */
const markedProcesses = (name: string, pidFile: string, program: ProcessMark): CommandGroup => ({
  options: [],
  environment: [`${MARKER}=${name}`],
  kill: async () => {
    const namespace = namespaceOf(program.pid);
    if (namespace === undefined) return;
    const isCandidate = (pid: number): boolean => namespaceOf(pid) === namespace;
    const leader = await leaderIn(pidFile);
    await killMembers({ variable: MARKER, value: name, leader, isCandidate });
  },
  forget: () => undefined,
});

/** `pidFile`: where the runtime writes the number of the command's first process. */
export const commandGroup = (
  parts: OciParts,
  place: Place,
  {
    name,
    pidFile,
    program,
  }: { readonly name: string; readonly pidFile: string; readonly program: ProcessMark },
): CommandGroup =>
  parts.agent.rootless ? markedProcesses(name, pidFile, program) : controlGroup(parts, place, name);
