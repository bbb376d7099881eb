/**
 * Parts of volumes (`subPath`), which programs that have the volume may exchange at any time. So each is bound by its descriptor to a place
 * of the attempt, from which the runtime mounts it, and the place is freed when the container is there.
 */
import { mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Mount } from '../../../ports/machine/runtime.ts';
import { StartRefusedError } from '../../containers/start-refused.ts';
import { findProgram } from '../../linux/find-program.ts';
import { PLACE } from '../../linux/open-place.ts';
import { runBounded } from '../../linux/trees/bounded-child.ts';

const FOLDER = 'sub';
const MOUNT_MS = 60_000;

const placeOf = (attempt: string, index: number): string => join(attempt, FOLDER, String(index));

/** The mounts as the runtime gets them: parts of volumes come from their places in the attempt. */
export const withPlaces = (attempt: string, mounts: readonly Mount[]): readonly Mount[] =>
  mounts.map((mount, index) =>
    mount.identity === undefined ? mount : { ...mount, source: placeOf(attempt, index) },
  );

const refuse = (): never => {
  throw new StartRefusedError(
    'CreateContainerError',
    'a part of a volume was exchanged while it was about to be mounted',
  );
};

const run = async (name: 'mount' | 'umount', ...args: readonly string[]): Promise<string | undefined> => {
  const end = await runBounded(findProgram(name) ?? name, args, { timeoutMs: MOUNT_MS });
  return end.code === 0 ? undefined : `${name}: ${end.startFault ?? end.errorText}`;
};

/** What is open must be what was found in the volume, and no link may have led there. */
const checkPlace = async (place: FileHandle, { source, identity }: Mount): Promise<boolean> => {
  const stats = await place.stat();
  if (`${stats.dev}:${stats.ino}` !== identity) refuse();
  if (readlinkSync(`/proc/self/fd/${place.fd}`) !== source) refuse();
  return stats.isDirectory();
};

/** The program `mount` reaches the descriptor by the agent's number. */
const bindPart = async (mount: Mount, target: string): Promise<void> => {
  const place = await open(mount.source, PLACE).catch(refuse);
  try {
    if (await checkPlace(place, mount)) mkdirSync(target, { recursive: true, mode: 0o700 });
    else {
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
      writeFileSync(target, '', { flag: 'wx', mode: 0o600 });
    }
    const from = `/proc/${process.pid}/fd/${place.fd}`;
    const fault = await run('mount', '--no-canonicalize', '--bind', from, target);
    if (fault !== undefined) throw new StartRefusedError('CreateContainerError', fault);
  } finally {
    await place.close();
  }
};

const placesIn = (attempt: string): readonly string[] => {
  try {
    return readdirSync(join(attempt, FOLDER)).map((name) => join(attempt, FOLDER, name));
  } catch {
    return [];
  }
};

/** Frees the places, also those that an agent before this one has bound. A container keeps what it has. */
export const freeParts = async (attempt: string): Promise<void> => {
  for (const place of placesIn(attempt)) await run('umount', '--lazy', '--no-canonicalize', place);
};

/** Has the parts in their places while `create` makes the container. Rejects with `StartRefusedError` if one was exchanged. */
export const withParts = async <T>(
  attempt: string,
  mounts: readonly Mount[],
  create: () => Promise<T>,
): Promise<T> => {
  try {
    for (const [index, mount] of mounts.entries())
      if (mount.identity !== undefined) await bindPart(mount, placeOf(attempt, index));
    return await create();
  } finally {
    await freeParts(attempt);
  }
};
