/** What a reader of a container's log gets, as long as it goes on. */
import { dirname } from 'node:path';
import { watchFolder } from '../adapters/linux/wait-for-file.ts';
import type { Clock } from '../ports/machine/clock.ts';
import type { ContainerLog } from '../ports/machine/container-streams.ts';
import type { LogLine } from '../rules/logs/cri-line.ts';
import type { LogOptions } from '../rules/logs/log-options.ts';
import { isFull, type Shown, showLine, shownAtFirst } from '../rules/logs/shown-lines.ts';
import { openCriLog } from './cri-log.ts';
import type { LogSource } from './log-source.ts';

export interface FollowDeps {
  readonly clock: Pick<Clock, 'sleep'>;
  /** Whether the container still runs. */
  isRunning(): Promise<boolean>;
  /** Calls back when the container may have ended; returns what ends that. */
  onChange(callback: () => void): () => void;
}

/** How often the container is looked at if nothing is told (ms). Source: kubernetes v1.34 pkg/kubelet/kuberuntime/logs `stateCheckPeriod`. */
const LOOK_MS = 5_000;

/** Wakes when something was written, the container may have ended, or nobody reads any more. */
const watcherOf = (folder: string, { clock, onChange }: FollowDeps, signal: AbortSignal) => {
  let early = new AbortController();
  const wake = (): void => early.abort();
  // What cannot be watched, as programs of root have taken all watches, is looked at in periods.
  const watcher = watchFolder(folder, wake);
  const unsubscribe = onChange(wake);
  signal.addEventListener('abort', wake, { once: true });
  return {
    /** From here on, what happens ends the next wait. */
    arm: () => {
      early = new AbortController();
      if (signal.aborted) wake();
    },
    wait: () => clock.sleep(LOOK_MS, early.signal),
    close: () => {
      watcher?.close();
      unsubscribe();
      signal.removeEventListener('abort', wake);
    },
  };
};

/** What is there at the moment. */
async function* present(source: LogSource, signal: AbortSignal): AsyncGenerator<readonly LogLine[]> {
  while (!signal.aborted) {
    const lines = await source.next();
    if (lines.length === 0) return;
    yield lines;
  }
}

/** All lines that are there, again and again as long as the container runs. */
async function* followed(
  source: LogSource,
  folder: string,
  deps: FollowDeps,
  signal: AbortSignal,
): AsyncGenerator<readonly LogLine[]> {
  const watcher = watcherOf(folder, deps, signal);
  try {
    while (!signal.aborted) {
      watcher.arm();
      const runs = await deps.isRunning();
      yield* present(source, signal);
      if (!runs) return;
      await watcher.wait();
    }
  } finally {
    watcher.close();
  }
}

/** Bytes to show of an open log in this folder, in its order, until `signal` aborts. */
export async function* readSource(
  source: LogSource,
  folder: string,
  options: LogOptions,
  deps: FollowDeps,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let shown: Shown = shownAtFirst(options);
  const show = (lines: readonly LogLine[]): Uint8Array => {
    const pieces = lines.map((line) => {
      const next = showLine(shown, line, options);
      shown = next.shown;
      return next.bytes;
    });
    return Buffer.concat(pieces);
  };
  const all = options.follow ? followed(source, folder, deps, signal) : present(source, signal);
  for await (const lines of all) {
    const bytes = show(lines);
    if (bytes.length > 0) yield bytes;
    if (isFull(shown)) return;
  }
  const bytes = show(source.rest());
  if (bytes.length > 0) yield bytes;
}

/** The same for a log that is opened when the first bytes are asked for. Rejects if there is no log. */
export async function* readLog(
  { path }: ContainerLog,
  options: LogOptions,
  deps: FollowDeps,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const source = await openCriLog(path, options, signal);
  try {
    yield* readSource(source, dirname(path), options, deps, signal);
  } finally {
    await source.close();
  }
}
