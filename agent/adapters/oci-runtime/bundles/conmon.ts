/**
 * Creates containers below a keeper of their own, conmon, which outlives the agent: it has their output, and writes down how they end.
 * Source: conmon(8); what it answers by the pipe is in its `src/ctr_stdio.c`, `src/parent_pipe_fd.c`.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { optional } from '../../../../shared/kube/values/optional.ts';
import { DEFAULT_PATH } from '../../../rules/machine/default-path.ts';
import type { ContainerInput } from '../../../rules/runtime/container-input.ts';
import { endIn, textAtMost } from '../../linux/bounded-file.ts';
import { shortText } from '../../linux/trees/bounded-child.ts';
import { type RuntimePlace, runtimeWords } from './runtime-calls.ts';

export interface KeeperPlan {
  /** Absolute path of conmon. */
  readonly program: string;
  readonly runtime: RuntimePlace;
  readonly id: string;
  /** Folder of the bundle, which is that of the attempt. */
  readonly attempt: string;
  readonly logFile: string;
  /** Bytes after which conmon begins the log anew; absent: never. */
  readonly mostLogBytes?: number;
  readonly input?: ContainerInput;
  /** Files `cgroup.procs` of the groups that conmon belongs to. */
  readonly groupFiles: readonly string[];
  /** An agent that is not root cannot lower it. */
  readonly oomScoreAdjust?: number;
}

/** In the folder of an attempt. */
const PID_FILE = 'pid';
const CONMON_PID_FILE = 'conmon.pid';
export const EXIT_FOLDER = 'exits';
const ERROR_FILE = 'conmon.log';

const inputWords = (input: ContainerInput | undefined): readonly string[] => {
  if (!input) return [];
  const held = input.endsWithClient ? [] : ['--leave-stdin-open'];
  return [...(input.isTerminal ? ['-t'] : []), ...(input.hasInput ? ['-i', ...held] : [])];
};

const flags = (values: Readonly<Record<string, string | number>>): readonly string[] =>
  Object.entries(values).flatMap(([name, value]) => [name, String(value)]);

/** Paths and ids only: all that the pod has said is in the bundle. */
export const conmonArguments = (plan: KeeperPlan): readonly string[] => {
  const { runtime, id, attempt, logFile, mostLogBytes, input } = plan;
  return [
    ...flags({
      '--api-version': '1',
      '-c': id,
      '-u': id,
      '-n': id,
      '-r': runtime.program,
      '--runtime-arg': `--root=${runtime.stateFolder}`,
      '-b': attempt,
      '-p': join(attempt, PID_FILE),
      '-P': join(attempt, CONMON_PID_FILE),
      '-l': `k8s-file:${logFile}`,
      ...optional('--log-size-max', mostLogBytes),
      '--exit-dir': join(attempt, EXIT_FOLDER),
      '--persist-dir': attempt,
    }),
    '--full-attach',
    '--no-sync-log',
    ...inputWords(input),
  ];
};

/** Enters the groups and becomes conmon: `$1` is the score, `$2` the number of groups, whose files follow. */
const ENTER = `score=$1 left=$2; shift 2
while [ "$left" -gt 0 ]; do echo $$ > "$1" || exit 125; shift; left=$((left - 1)); done
[ -z "$score" ] || echo "$score" > /proc/self/oom_score_adj
exec "$@"`;

const MOST_ANSWER = 65_536;
const MOST_PID = 32;
const MOST_WORDS = 1024;

/** The first line; conmon does not close the pipe. `undefined`: it ends, or is too long. */
const firstLine = async (pipe: Readable): Promise<string | undefined> => {
  let text = '';
  for await (const chunk of pipe.setEncoding('utf8') as AsyncIterable<string>) {
    text += chunk;
    const end = text.indexOf('\n');
    if (end >= 0) return text.slice(0, end);
    if (text.length > MOST_ANSWER) return undefined;
  }
  return undefined;
};

const answerIn = (line: string): { readonly data?: number; readonly message?: string } => {
  try {
    return JSON.parse(line) as { readonly data?: number; readonly message?: string };
  } catch {
    return { message: `conmon answered: ${line}` };
  }
};

/** The answer of conmon: the container's first process, or the runtime's words, without the path of the attempt, which pods may not know. */
const pidIn = (line: string, attempt: string): number => {
  const { data, message = 'the runtime has failed' } = answerIn(line);
  if (data === undefined || data <= 0)
    throw new Error(shortText(runtimeWords(message).replaceAll(attempt, '')));
  return data;
};

/** What the shell or conmon has said instead. */
const silenceText = async (attempt: string): Promise<string> => {
  const words = shortText(((await endIn(join(attempt, ERROR_FILE), MOST_WORDS)) ?? '').trim());
  return `conmon ended without an answer${words === '' ? '' : `: ${words.replaceAll(attempt, '')}`}`;
};

/** The pipe is descriptor 3. Descriptor 2 is a file, which outlives the agent; nothing else is open in conmon. */
const spawnKeeper = (plan: KeeperPlan) => {
  const errors = openSync(join(plan.attempt, ERROR_FILE), 'a', 0o600);
  try {
    const score = plan.oomScoreAdjust === undefined ? '' : String(plan.oomScoreAdjust);
    const words = [
      score,
      String(plan.groupFiles.length),
      ...plan.groupFiles,
      plan.program,
      ...conmonArguments(plan),
    ];
    return spawn('/bin/sh', ['-c', ENTER, 'sh', ...words], {
      cwd: '/',
      env: { PATH: DEFAULT_PATH, _OCI_SYNCPIPE: '3' },
      stdio: ['ignore', 'ignore', errors, 'pipe'],
      detached: true,
    });
  } finally {
    closeSync(errors);
  }
};

/** Where conmon writes the exit code of the container, when that has ended. */
export const exitFile = (attempt: string, id: string): string => join(attempt, EXIT_FOLDER, id);

/** The process of conmon; `undefined`: it is not there. Its command line has the path of the attempt, which is of no other program. */
export const keeperPid = async (attempt: string): Promise<number | undefined> => {
  const pid = Number(await textAtMost(join(attempt, CONMON_PID_FILE), MOST_PID));
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const words = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
  return words.split('\0').includes(Buffer.from(attempt).toString('latin1')) ? pid : undefined;
};

/** Ends conmon with the runtime that it may wait for: it leads a group of its own. */
export const killKeeper = async (attempt: string): Promise<void> => {
  const pid = await keeperPid(attempt);
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
};

const inTime = async <T>(work: Promise<T>, ms: number): Promise<T> => {
  const over = new AbortController();
  const late = wait(ms, undefined, { signal: over.signal }).then(() => {
    throw new Error('the runtime created no container in time');
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
    late.catch(() => undefined);
  }
};

/** Resolves with the pid of the container's first process, which waits to be started. */
export const createContainer = async (plan: KeeperPlan): Promise<number> => {
  // conmon takes the path only up to there, and would write into another file.
  if (plan.logFile.includes(':'))
    throw new Error(`the path of the log must not have a colon: ${plan.logFile}`);
  const child = spawnKeeper(plan);
  const pipe = child.stdio[3] as Readable;
  const failed = new Promise<never>((_resolve, reject) => child.once('error', reject));
  try {
    const line = await inTime(Promise.race([firstLine(pipe), failed]), plan.runtime.callMs);
    if (line === undefined) throw new Error(await silenceText(plan.attempt));
    return pidIn(line, plan.attempt);
  } catch (error) {
    await killKeeper(plan.attempt);
    throw error;
  } finally {
    pipe.destroy();
  }
};
