/** Runs commands beside a container: as its processes are, with a group of their own. */
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { optional } from '../../../shared/kube/values/optional.ts';
import type { StreamedProcess, WantedStreams } from '../../ports/machine/container-streams.ts';
import type { ExecAnswer } from '../../ports/machine/runtime.ts';
import { type Group, killMembers, signalMembers } from '../containers/kill-members.ts';
import { drain, ignoreErrors, outputOf } from '../linux/child-output.ts';
import { markOf } from '../linux/processes.ts';
import { type Command, spawnCommand } from './launch.ts';
import type { Running } from './records.ts';

/** How much of the output is kept (bytes). Source: kubernetes v1.34 pkg/probe `maxReadLength`. */
const MOST_OUTPUT = 10 * 1024;
/** How long output may come after the command has ended (ms). */
const DRAIN_MS = 200;
const SIGHUP = 1;
/** How long what is left of a command has to end after SIGHUP (ms). */
const HANG_UP_MS = 1_000;

/** Variable by which the processes of one command are known. */
const EXEC_MARKER = 'ROLLCALL_PLAIN_EXEC';

interface Started extends Command {
  readonly group: Group;
}

const start = async (
  { surroundings }: Running,
  command: readonly string[],
  stdio: readonly ('pipe' | 'ignore')[],
): Promise<Started> => {
  const value = randomUUID();
  const environment = { ...surroundings.environment, [EXEC_MARKER]: value };
  const started = await spawnCommand(command, { ...surroundings, environment }, [...stdio]);
  const mark = markOf(started.child.pid ?? 0);
  const leader = mark && { ...mark, hasJustEnded: false };
  return { ...started, group: { variable: EXEC_MARKER, value, leader } };
};

const collect = (streams: readonly (Readable | null)[]): (() => string) => {
  const chunks: Buffer[] = [];
  let size = 0;
  for (const stream of streams)
    stream?.on('data', (chunk: Buffer) => {
      const kept = chunk.subarray(0, MOST_OUTPUT - size);
      size += kept.length;
      if (kept.length > 0) chunks.push(kept);
    });
  return () => Buffer.concat(chunks).toString('utf8');
};

/** Rejects if the command cannot be started. After `timeoutMs` it and all that it started are killed. */
export const execIn = async (
  running: Running,
  command: readonly string[],
  timeoutMs: number,
): Promise<ExecAnswer> => {
  const { child, exited, group } = await start(running, command, ['ignore', 'pipe', 'pipe']);
  const outputs = [child.stdout, child.stderr];
  const output = collect(outputs);
  const closed = new Promise<void>((done) => void child.once('close', () => done()));
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void killMembers(group);
  }, timeoutMs);
  try {
    const exitCode = await exited;
    await Promise.race([closed, wait(DRAIN_MS)]);
    return isLate ? { output: output() } : { exitCode, output: output() };
  } finally {
    clearTimeout(timer);
    for (const stream of outputs) stream?.destroy();
  }
};

/** Sends SIGHUP to all that the command has started, and SIGKILL to what is left a second later. */
const hangUp = async (group: Group): Promise<void> => {
  signalMembers(group, SIGHUP);
  await wait(HANG_UP_MS);
  await killMembers(group);
};

const NO_TERMINAL = 'there are no terminals with --unisolated: leave out --tty (-t)';

/** Starts a command for a client that sees its streams. Rejects if it cannot be started, or wants a terminal. */
export const execStream = async (
  running: Running,
  command: readonly string[],
  wanted: WantedStreams,
): Promise<StreamedProcess> => {
  if (wanted.tty) throw new Error(NO_TERMINAL);
  const stdio = [wanted.stdin, wanted.stdout, wanted.stderr].map((isWanted) =>
    isWanted ? 'pipe' : 'ignore',
  );
  const { child, exited, group } = await start(running, command, stdio);
  const { stdin, stdout, stderr } = child;
  ignoreErrors(stdin, stdout, stderr);
  const [out, err] = [stdout, stderr].map((stream) => (stream ? outputOf(stream) : undefined));
  const outputs = [out, err].filter((output) => output !== undefined);
  const ended = exited.then(async (code) => {
    await drain(outputs);
    return code;
  });
  return {
    ...optional('stdin', stdin ?? undefined),
    ...optional('stdout', out?.to),
    ...optional('stderr', err?.to),
    ended,
    resize: () => undefined,
    end: () => {
      for (const { to } of outputs) to.destroy();
      void hangUp(group);
    },
  };
};
