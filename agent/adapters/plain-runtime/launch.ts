/** Starts a program as a child of the agent, with real pipes: what opens `/dev/stdout` does not get along with the sockets that Node makes. */
import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { accessSync, closeSync, constants, openSync, statSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { isAbsolute, join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { optional } from '../../../shared/kube/values/optional.ts';
import type { ContainerSpec } from '../../ports/machine/runtime.ts';
import { DEFAULT_PATH } from '../../rules/machine/default-path.ts';
import { MARKER } from '../containers/kill-members.ts';
import { signalNumber } from '../linux/processes.ts';

const { O_RDONLY, O_WRONLY, O_RDWR, O_NONBLOCK, X_OK } = constants;
const run = promisify(execFile);

/** What a program of a container starts in. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  readonly oomScoreAdjust: number;
}

export const surroundingsOf = (spec: ContainerSpec, hostname: string, folder: string): Surroundings => ({
  environment: { PATH: DEFAULT_PATH, HOSTNAME: hostname, ...spec.environment, [MARKER]: folder },
  workingDirectory: spec.workingDirectory ?? '/',
  oomScoreAdjust: spec.oomScoreAdjust,
});

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, X_OK);
    return !isFolder(path);
  } catch {
    return false;
  }
};

const faultOf = (program: string, path: string): string => {
  if (!program.includes('/')) return `exec: "${program}": executable file not found in $PATH`;
  return statSync(path, { throwIfNoEntry: false })
    ? `exec: "${program}": permission denied`
    : `exec: "${program}": stat ${program}: no such file or directory`;
};

/** The path of the program. Throws what Go says if there is none, so that it reads as with other runtimes. */
const findCommand = (program: string, { environment, workingDirectory }: Surroundings): string => {
  if (!isFolder(workingDirectory)) throw new Error(`the working directory ${workingDirectory} is not there`);
  const folders = program.includes('/') ? [''] : (environment['PATH'] ?? '').split(':').filter(isAbsolute);
  const paths = folders.map((folder) => resolve(workingDirectory, join(folder, program)));
  const found = paths.find(isProgram);
  if (found !== undefined) return found;
  throw new Error(faultOf(program, paths[0] ?? program));
};

const hasStarted = (child: ChildProcess, program: string): Promise<void> =>
  new Promise((done, reject) => {
    child.once('spawn', done);
    child.once('error', ({ message }) => reject(new Error(`exec: "${program}": ${message}`)));
  });

/** At once, as its children inherit it. Only root may make a process safer from the kernel than the agent. */
const adjustOomScore = (pid: number | undefined, score: number): void => {
  if (pid === undefined) return;
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, String(score));
  } catch {
    // It keeps that of the agent.
  }
};

/** A child of the agent. */
export interface Command {
  readonly child: ChildProcess;
  /** Resolves with the exit code, as a shell tells it. */
  readonly exited: Promise<number>;
}

/** Starts the command in a session of its own. Rejects if it cannot be started. */
export const spawnCommand = async (
  [program = '', ...args]: readonly string[],
  surroundings: Surroundings,
  stdio: NonNullable<SpawnOptions['stdio']>,
): Promise<Command> => {
  const child = spawn(findCommand(program, surroundings), args, {
    argv0: program,
    cwd: surroundings.workingDirectory,
    env: surroundings.environment,
    detached: true,
    stdio,
  });
  adjustOomScore(child.pid, surroundings.oomScoreAdjust);
  const exited = new Promise<number>((done) => {
    child.once('exit', (code, signal) => done(code ?? 128 + (signalNumber(signal ?? '') ?? 0)));
  });
  await hasStarted(child, program);
  return { child, exited };
};

/** Both ends of a pipe. The program's waits when the pipe is full or empty, the agent's does not. */
const openOutput = (path: string): { readonly own: number; readonly programs: number } => {
  const own = openSync(path, O_RDONLY | O_NONBLOCK);
  return { own, programs: openSync(path, O_WRONLY) };
};

const openInput = (path: string): { readonly own: number; readonly programs: number } => {
  // Without a writer the program's end would wait to be opened.
  const first = openSync(path, O_RDWR | O_NONBLOCK);
  try {
    return { programs: openSync(path, O_RDONLY), own: openSync(path, O_WRONLY | O_NONBLOCK) };
  } finally {
    closeSync(first);
  }
};

const makePipes = async (folder: string, mkfifo: string, hasInput: boolean) => {
  const [out, err, input] = ['stdout', 'stderr', 'stdin'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await run(mkfifo, ['-m', '600', out, err, ...(hasInput ? [input] : [])]);
  return { out: openOutput(out), err: openOutput(err), input: hasInput ? openInput(input) : undefined };
};

/** A program that runs, and the agent's ends of its pipes. */
export interface Launched extends Command {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Absent: its input is empty. */
  readonly stdin?: Writable;
}

const outputOf = (fd: number): Socket => {
  const socket = new Socket({ fd, readable: true, writable: false });
  socket.on('error', () => {});
  return socket;
};

const inputOf = (fd: number): Socket => {
  const socket = new Socket({ fd, readable: false, writable: true });
  // The program has closed its input.
  socket.on('error', () => {});
  return socket;
};

/** Starts the program of a container, whose folder gets the names of the pipes. Rejects if it cannot be started. */
export const launch = async (
  { command, input }: ContainerSpec,
  surroundings: Surroundings,
  folder: string,
  mkfifo: string,
): Promise<Launched> => {
  const pipes = await makePipes(folder, mkfifo, input?.hasInput ?? false);
  const programs = [pipes.input?.programs, pipes.out.programs, pipes.err.programs] as const;
  const stdin = pipes.input && inputOf(pipes.input.own);
  const [stdout, stderr] = [outputOf(pipes.out.own), outputOf(pipes.err.own)];
  try {
    const stdio = [programs[0] ?? ('ignore' as const), programs[1], programs[2]];
    const started = await spawnCommand(command, surroundings, stdio);
    return { ...started, stdout, stderr, ...optional('stdin', stdin) };
  } catch (error) {
    for (const socket of [stdin, stdout, stderr]) socket?.destroy();
    throw error;
  } finally {
    for (const fd of programs) if (fd !== undefined) closeSync(fd);
  }
};
