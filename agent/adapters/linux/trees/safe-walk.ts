/**
 * Goes through a tree that a pod may change meanwhile, by descriptors: each name is looked up once, in a folder that is held open, and what was
 * found is then known by its descriptor. A link that takes the place of a folder leads nowhere.
 */
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, opendir } from 'node:fs/promises';
import { PLACE } from '../open-place.ts';

/** Each level holds descriptors. */
export const MOST_LEVELS = 256;

/** A file or folder that was found. */
export interface Found {
  /** Leads to it whatever its name does meanwhile. */
  readonly descriptor: string;
  /** Its facts when it was found. */
  readonly stats: Stats;
}

type Visit = (found: Found) => Promise<void>;

/** The tree has more levels than `MOST_LEVELS`. */
export class TooDeep extends Error {
  constructor() {
    super(`it has more than ${MOST_LEVELS} levels of folders`);
  }
}

const descriptorOf = ({ fd }: FileHandle): string => `/proc/self/fd/${fd}`;

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** `undefined`: it is gone. */
const openMember = async (folder: FileHandle, name: Buffer): Promise<FileHandle | undefined> => {
  const path = Buffer.concat([Buffer.from(`${descriptorOf(folder)}/`), name]);
  try {
    return await open(path, PLACE);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

const visitOne = async (file: FileHandle, level: number, visit: Visit): Promise<void> => {
  const stats = await file.stat();
  if (stats.isDirectory()) await visitMembers(file, level, visit);
  await visit({ descriptor: descriptorOf(file), stats });
};

const visitMembers = async (folder: FileHandle, level: number, visit: Visit): Promise<void> => {
  if (level > MOST_LEVELS) throw new TooDeep();
  // Names are bytes, which the types of this function do not know.
  const members = await opendir(descriptorOf(folder), { encoding: 'buffer' as BufferEncoding });
  for await (const { name } of members) {
    const file = await openMember(folder, name as unknown as Buffer);
    if (!file) continue;
    try {
      await visitOne(file, level + 1, visit);
    } finally {
      await file.close();
    }
  }
};

/** Visits all that is in the folder, and each folder after what is in it. Rejects with `TooDeep`. `root` is a folder and no link. */
export const safeWalk = async (root: string, visit: Visit): Promise<void> => {
  const folder = await open(root, PLACE | constants.O_DIRECTORY);
  try {
    await visitOne(folder, 0, visit);
  } finally {
    await folder.close();
  }
};
