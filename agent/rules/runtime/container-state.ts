/** What the files of a container's folder and the table of processes say about it. */

/** A process, told apart from a later one with the same number. */
export interface ProcessMark {
  readonly pid: number;
  /** Clock ticks between the machine's start and the process's. */
  readonly startTime: string;
}

/** Who has the right to start the container, on which start of the machine. Whoever makes the file `claim` first has it. */
export interface Claim extends ProcessMark {
  readonly bootId: string;
}

/** How the main process ended. */
export interface Exit {
  readonly code: number;
  readonly oomKills: number;
  /** Nobody saw the main process end, so the code is made up. */
  readonly isUnknown: boolean;
}

/** The name under which the shim leaves the exit code when nobody knows it. */
const UNKNOWN = 'unknown';

/** Exit code of a container whose end nobody saw. Source: containerd `unknownExitCode`. */
export const UNKNOWN_EXIT_CODE = 255;

/** Exit code of a process that SIGKILL ended. */
export const KILLED_EXIT_CODE = 128 + 9;

/** The file `claim`: `<pid> <start time> <boot id>`. */
export const claimIn = (text: string): Claim | undefined => {
  const [, pid, startTime, bootId] = /^(\d+) (\d+) (\S+)\n$/.exec(text) ?? [];
  if (pid === undefined || startTime === undefined || bootId === undefined) return undefined;
  return { pid: Number(pid), startTime, bootId };
};

/** The file `main`: `<pid> <start time>`. It is written before the process becomes the program. */
export const mainIn = (text: string): ProcessMark | undefined => {
  const [, pid, startTime] = /^(\d+) (\d+)\n$/.exec(text) ?? [];
  return pid === undefined || startTime === undefined ? undefined : { pid: Number(pid), startTime };
};

/** The file `exit`: `<code> <processes ended for want of memory>`, and `unknown` if the code is made up. */
export const exitIn = (text: string): Exit | undefined => {
  const [, code, oomKills, unknown] = /^(\d+) (\d+)( unknown)?\n$/.exec(text) ?? [];
  if (code === undefined || oomKills === undefined) return undefined;
  return { code: Number(code), oomKills: Number(oomKills), isUnknown: unknown !== undefined };
};

/** The text of the file `exit`. */
export const exitText = ({ code, oomKills, isUnknown }: Exit): string =>
  `${code} ${oomKills}${isUnknown ? ` ${UNKNOWN}` : ''}\n`;

/** What is known of a container. */
export interface Evidence {
  readonly claim?: Claim;
  readonly main?: ProcessMark;
  readonly exit?: Exit;
  readonly bootId: string;
  readonly isAlive: (process: ProcessMark) => boolean;
}

/**
 * - `reserved`: nobody has begun to start it.
 * - `starting`: the program does not run yet.
 * - `running`: the program runs, or its end is being written down.
 * - `lost`: it does not run any more, and nobody has written down how it ended. What is left of it has to be ended.
 */
export type FoundState = 'reserved' | 'starting' | 'running' | 'lost' | 'exited';

/** A program runs on when its shim is killed; only its exit code is lost. */
export const foundState = ({ claim, main, exit, bootId, isAlive }: Evidence): FoundState => {
  if (exit) return 'exited';
  if (!claim) return 'reserved';
  if (claim.bootId !== bootId) return 'lost';
  if (main && isAlive(main)) return 'running';
  if (!isAlive(claim)) return 'lost';
  return main ? 'running' : 'starting';
};

/** How the API shows the end of a container. */
export interface ShownEnd {
  readonly exitCode: number;
  readonly reason: 'Completed' | 'Error' | 'OOMKilled' | 'StartError' | 'Unknown';
}

/** Source: containerd `toCRIContainerStatus`, `unknownExitCode`, `errorStartExitCode`. `hasRun`: the program was started. */
export const shownEnd = ({ code, oomKills, isUnknown }: Exit, hasRun: boolean): ShownEnd => {
  if (isUnknown) return { exitCode: UNKNOWN_EXIT_CODE, reason: 'Unknown' };
  if (!hasRun) return { exitCode: 128, reason: 'StartError' };
  if (code === 0) return { exitCode: 0, reason: 'Completed' };
  return { exitCode: code, reason: oomKills > 0 ? 'OOMKilled' : 'Error' };
};
