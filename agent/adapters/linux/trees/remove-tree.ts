/**
 * Removes trees that a pod may change meanwhile. They leave their place at once for the trash, and are deleted there by `rm`, which walks by
 * descriptors, however deep they are and as long as it takes.
 */
import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BackOffDelays, backOff } from '../../../../shared/kube/values/back-off.ts';
import { optional } from '../../../../shared/kube/values/optional.ts';
import { createLane } from '../../../lane.ts';
import type { Log } from '../../../ports/machine/shutdown.ts';
import type { Trash } from '../../../ports/machine/trash.ts';
import type { SteadyMs } from '../../../rules/stats/summary.ts';
import { runBounded, shortText } from './bounded-child.ts';

export interface TrashOptions {
  /** Absolute; on the file system of what is discarded. Only root can read it. */
  readonly folder: string;
  readonly log: Log;
  /** Milliseconds that never step. */
  readonly uptime?: () => SteadyMs;
  /** Returns why something is left of a tree. */
  readonly remove?: (path: string, signal: AbortSignal) => Promise<string | undefined>;
  /** Runs the callback later (ms). */
  readonly later?: (callback: () => void, ms: number) => void;
}

/** What has a name that no file system takes is not there: whoever wanted to make it was refused. */
const isThere = (path: string): boolean => {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENAMETOOLONG') return false;
    throw error;
  }
};

const TEN_MINUTES_MS = 600_000;

/** Returns why something is left; `undefined`: nothing is. What is mounted into the tree stays, and so does the tree then. */
export const removeTree = async (path: string, signal?: AbortSignal): Promise<string | undefined> => {
  const bounds = { timeoutMs: TEN_MINUTES_MS, ...optional('signal', signal) };
  const end = await runBounded('rm', ['-rf', '--one-file-system', '--', path], bounds);
  if (!isThere(path)) return undefined;
  if (end.startFault !== undefined) return end.startFault;
  return end.isTimedOut ? 'it was not removed within 10 min' : end.errorText || 'it is still there';
};

/** Something in the trash. */
interface Entry {
  readonly name: string;
  readonly since: SteadyMs;
  readonly tries: number;
  readonly isTold: boolean;
}

/** How many are deleted at the same time: one that takes ten minutes must not keep the others. */
const MOST_AT_ONCE = 4;
const PAUSES: BackOffDelays = { firstMs: 1000, mostMs: 60_000 };

/** What stands between the name of a folder and what makes it the only one in the trash. */
const MARK = '.~';

/** File systems have names of at most 255 bytes. */
const MOST_NAME = 128;

const prefixOf = (name: string): string => `${name.slice(0, MOST_NAME)}${MARK}`;

/** Moves the folder into the trash. A disk that is full can refuse this, and another file system does. */
const isMoved = (path: string, trash: string, name: string): boolean => {
  try {
    mkdirSync(trash, { recursive: true, mode: 0o700 });
    renameSync(path, join(trash, name));
    return true;
  } catch {
    return false;
  }
};

const unreferenced = (callback: () => void, ms: number): void => {
  setTimeout(callback, ms).unref();
};

/** Keeps to `MOST_AT_ONCE`, and tries again what is left. */
const createDeletions = (options: Required<TrashOptions>, signal: AbortSignal) => {
  const { folder, log, uptime, remove, later } = options;
  const held = new Set<string>();
  const lane = createLane(MOST_AT_ONCE);

  const told = (entry: Entry, fault: string): boolean => {
    if (entry.isTold || uptime() - entry.since < TEN_MINUTES_MS) return entry.isTold;
    log(`${join(folder, entry.name)} takes room on the disk for more than 10 min: ${shortText(fault)}`);
    return true;
  };

  const tryOnce = async (entry: Entry): Promise<void> => {
    const fault = await remove(join(folder, entry.name), signal);
    if (fault === undefined) return void held.delete(entry.name);
    const next = { ...entry, tries: entry.tries + 1, isTold: told(entry, fault) };
    later(() => add(next), backOff(PAUSES, entry.tries));
  };

  const add = (entry: Entry): void => {
    held.add(entry.name);
    lane.add(async () => {
      if (!signal.aborted) await tryOnce(entry);
    });
  };

  return { held, add: (name: string): void => add({ name, since: uptime(), tries: 0, isTold: false }) };
};

/** Deletes at once what an agent before this one has left in the trash. */
export const createTrash = (given: TrashOptions): Trash => {
  const defaults = { uptime: () => performance.now(), remove: removeTree, later: unreferenced };
  const options = { ...defaults, ...given };
  const { folder, remove } = options;
  const stop = new AbortController();
  const deletions = createDeletions(options, stop.signal);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) deletions.add(name);

  const discard = async (path: string): Promise<void> => {
    if (!isThere(path)) return;
    const name = `${prefixOf(basename(path))}${randomUUID()}`;
    if (isMoved(path, folder, name)) return deletions.add(name);
    const fault = await remove(path, stop.signal);
    if (fault !== undefined) throw new Error(`${path} cannot be removed: ${shortText(fault)}`);
  };

  return {
    discard,
    holds: (name) => [...deletions.held].some((one) => one.startsWith(prefixOf(name))),
    close: () => stop.abort(),
  };
};
