/** Calls of an OCI runtime. Each ends in time, and its group with it. Source: runc(8), opencontainers/runtime-spec `runtime.md`. */
import { DEFAULT_PATH } from '../../../rules/machine/default-path.ts';
import { type ChildEnd, runBounded } from '../../linux/trees/bounded-child.ts';

/** A runtime, and the folder of its own state, which no other one uses. */
export interface RuntimePlace {
  /** Absolute path of the program. */
  readonly program: string;
  readonly stateFolder: string;
  /** How long a call may take (ms). */
  readonly callMs: number;
}

/** A container as the runtime has it. */
export interface RuntimeState {
  readonly status: 'creating' | 'created' | 'running' | 'stopped' | 'paused';
  /** Of its first process; 0: it has none. */
  readonly pid: number;
}

/** What runtimes need; nothing of the agent's own environment. */
export const ENVIRONMENT = { PATH: DEFAULT_PATH, LC_ALL: 'C' };

const VERSION_MS = 10_000;
/** Of a state, which has the annotations of the bundle. */
const MOST_OUTPUT = 65_536;

const call = (
  { program, stateFolder, callMs }: RuntimePlace,
  words: readonly string[],
  timeoutMs = callMs,
): Promise<ChildEnd> =>
  runBounded(program, ['--root', stateFolder, ...words], {
    timeoutMs,
    mostOutput: MOST_OUTPUT,
    endsGroup: true,
    environment: ENVIRONMENT,
  });

/** The message of a line of the runtime's log, such as `time="…" level=error msg="runc create failed: …"`; of another text, all of it. */
export const runtimeWords = (text: string): string => {
  const [, message] = /\bmsg="((?:[^"\\]|\\.)*)"/.exec(text) ?? [];
  return (message === undefined ? text : message.replaceAll(/\\(.)/g, '$1')).trim();
};

/** Why a call failed, in the runtime's own words. */
export const callFault = (
  name: string,
  { code, startFault, isTimedOut, errorText }: ChildEnd,
): string | undefined => {
  if (code === 0) return undefined;
  if (startFault !== undefined) return `${name}: ${startFault}`;
  if (isTimedOut) return `${name} did not end in time`;
  return `${name}: ${runtimeWords(errorText) || `it ended with code ${code ?? 'none'}`}`;
};

const checked = async (name: string, work: Promise<ChildEnd>): Promise<void> => {
  const fault = callFault(name, await work);
  if (fault !== undefined) throw new Error(fault);
};

/** Lets the program of a created container run. */
export const startContainer = (place: RuntimePlace, id: string): Promise<void> =>
  checked('start', call(place, ['start', id]));

/** Sends a signal, such as `KILL`, to the first process of a container. */
export const killContainer = (place: RuntimePlace, id: string, signal: string): Promise<void> =>
  checked('kill', call(place, ['kill', id, signal]));

/** Removes a container, whatever its state is; one that is not there, too. */
export const deleteContainer = (place: RuntimePlace, id: string): Promise<void> =>
  checked('delete', call(place, ['delete', '--force', id]));

/** `undefined`: there is no such container. Rejects if the runtime does not say. */
export const containerState = async (place: RuntimePlace, id: string): Promise<RuntimeState | undefined> => {
  const end = await call(place, ['state', id]);
  if (end.code !== undefined && end.code !== 0 && /not exist|not found|no such file/i.test(end.errorText))
    return undefined;
  const fault = callFault('state', end);
  if (fault !== undefined) throw new Error(fault);
  return JSON.parse(end.output.toString()) as RuntimeState;
};

/**
 * Runs a command in a container. `processFile` has what it runs as; `pidFile` is written before the command begins: if it is not there,
 * the runtime has failed, and the code is not the command's.
 */
export const execInContainer = (
  place: RuntimePlace,
  id: string,
  {
    processFile,
    pidFile,
    timeoutMs,
  }: { readonly processFile: string; readonly pidFile: string; readonly timeoutMs: number },
): Promise<ChildEnd> => call(place, ['exec', '--process', processFile, '--pid-file', pidFile, id], timeoutMs);

/** The first line of what a program says of its version, such as `runc version 1.1.5`. */
export const versionOf = async (program: string): Promise<string> => {
  const end = await runBounded(program, ['--version'], {
    timeoutMs: VERSION_MS,
    mostOutput: MOST_OUTPUT,
    endsGroup: true,
    environment: ENVIRONMENT,
  });
  return /\d+\.\d+[^\s,]*/.exec(end.output.toString())?.[0] ?? 'unknown';
};
