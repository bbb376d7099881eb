/** Runs a command in a running container, for a probe or a hook. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { ExecAnswer } from '../../../ports/machine/runtime.ts';
import type { Place } from '../../containers/places.ts';
import { signalNumber } from '../../linux/processes.ts';
import { shortText } from '../../linux/trees/bounded-child.ts';
import { ENVIRONMENT, runtimeWords } from '../bundles/runtime-calls.ts';
import type { OciParts } from '../containers/parts.ts';
import { type Command, prepareCommand } from './command.ts';

/** How much of the output is kept (bytes). Source: kubernetes v1.34 pkg/probe `maxReadLength`. */
const MOST_OUTPUT = 10 * 1024;
/** How long output may come after the command has ended (ms). */
const DRAIN_MS = 200;

type Child = ChildProcessByStdio<null, Readable, Readable>;

const collectOf = (stream: Readable): (() => Buffer) => {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    const kept = chunk.subarray(0, MOST_OUTPUT - size);
    size += kept.length;
    if (kept.length > 0) chunks.push(kept);
  });
  return () => Buffer.concat(chunks);
};

/** The errors follow the output. Source: kubernetes v1.34 pkg/kubelet/kuberuntime `RunInContainer`. */
const collect = ({ stdout, stderr }: Child): (() => string) => {
  const [output, errors] = [collectOf(stdout), collectOf(stderr)];
  return () => Buffer.concat([output(), errors()]).subarray(0, MOST_OUTPUT).toString('utf8');
};

/** Resolves when the command has ended; a process that it left behind may hold its output for longer. */
const exitOf = (child: Child): Promise<number> =>
  new Promise((resolve, reject) => {
    const end = (code: number | null, signal: string | null): void =>
      resolve(code ?? 128 + (signalNumber(signal ?? '') ?? 0));
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      const drained = setTimeout(() => end(code, signal), DRAIN_MS);
      child.once('close', () => clearTimeout(drained));
    });
    child.once('close', end);
  });

const run = async (parts: OciParts, command: Command, timeoutMs: number): Promise<ExecAnswer> => {
  const child: Child = spawn(parts.programs.runtime.program, command.words, {
    cwd: '/',
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = collect(child);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void command.kill().finally(() => child.kill('SIGKILL'));
  }, timeoutMs);
  try {
    const exitCode = await exitOf(child);
    if (isLate) return { output: output() };
    if (command.hasBegun()) return { exitCode, output: output() };
    throw new Error(shortText(runtimeWords(output())));
  } finally {
    clearTimeout(timer);
    child.stdout.destroy();
    child.stderr.destroy();
  }
};

/** After `timeoutMs` the command and all that it started are killed. Rejects with the runtime's words if it cannot be started. */
export const execIn = async (
  parts: OciParts,
  place: Place,
  words: readonly string[],
  timeoutMs: number,
): Promise<ExecAnswer> => {
  const command = await prepareCommand(parts, place, words, { isRepeated: true });
  try {
    return await run(parts, command, timeoutMs);
  } finally {
    command.forget();
  }
};
