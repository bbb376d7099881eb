/** In which part of the relay each node is. Only a hint: without it, a node that finds its part full gets another one. */
import { resolve } from 'node:path';
import { readIfThere, writePrivately } from '../shared/serving/machine/files.ts';

const fileIn = (folder: string): string => resolve(folder, 'parts.json');

/** The parts of the last run; empty if there was none, or if the file is damaged. */
export const readHomes = (folder: string): Map<string, number> => {
  try {
    const stored: unknown = JSON.parse(readIfThere(fileIn(folder)) ?? '{}');
    const entries = Object.entries(stored as Readonly<Record<string, unknown>>);
    return new Map(entries.filter((one): one is [string, number] => Number.isSafeInteger(one[1])));
  } catch {
    return new Map();
  }
};

/** Stores the parts if they are others than those that are stored. */
export const writeHomes = (folder: string, parts: ReadonlyMap<string, number>): void => {
  const text = `${JSON.stringify(Object.fromEntries(parts))}\n`;
  if (readIfThere(fileIn(folder)) !== text) writePrivately(fileIn(folder), text);
};
