/** By what a command in a container, with all that it has started, is ended. */
import { readFileSync, readlinkSync } from 'node:fs';
import { killMembers } from '../../containers/kill-members.ts';
import type { Place } from '../../containers/places.ts';
import { markOf } from '../../linux/processes.ts';
import type { OciParts } from '../containers/parts.ts';
import type { Started } from '../containers/records.ts';

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
  forget: () => groups.remove(`${group}/${name}`),
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

const leaderIn = (pidFile: string) => {
  try {
    const mark = markOf(Number(readFileSync(pidFile, 'utf8')));
    return mark && { ...mark, hasJustEnded: false };
  } catch {
    return undefined;
  }
};

/**
 * Without control groups its processes are known by their session and by a variable. What has left both ends with the container, whose
 * namespace no process leaves.
 */
const markedProcesses = (name: string, pidFile: string, program: Started): CommandGroup => ({
  options: [],
  environment: [`${MARKER}=${name}`],
  kill: async () => {
    const namespace = namespaceOf(program.pid);
    if (namespace === undefined) return;
    const isCandidate = (pid: number): boolean => namespaceOf(pid) === namespace;
    await killMembers({ variable: MARKER, value: name, leader: leaderIn(pidFile), isCandidate });
  },
  forget: () => undefined,
});

/** `pidFile`: where the runtime writes the number of the command's first process. */
export const commandGroup = (
  parts: OciParts,
  place: Place,
  { name, pidFile, program }: { readonly name: string; readonly pidFile: string; readonly program: Started },
): CommandGroup =>
  parts.agent.rootless ? markedProcesses(name, pidFile, program) : controlGroup(parts, place, name);
