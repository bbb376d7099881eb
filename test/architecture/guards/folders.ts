/** Guards of the folders: which import each other, and how many files they hold. */
import { dirname } from 'node:path';
import { cyclesOf, groupGraph, type ImportGraph, mutualPairs } from '../import-graph.ts';
import type { Guard } from './guard.ts';
import { isControllerFace, isMigrations, PRODUCTION, productionGraph, TESTS } from './source.ts';

const MOST_FILES = 16;

/**
 * The folders of the files, each with the folders that it imports. The node of a file is the folder in which it lies, not a
 * folder above; types count.
 */
export const folderGraph = (graph: ImportGraph): ImportGraph =>
  groupGraph(graph, dirname, (one) => !isControllerFace(one));

const isInside = (folder: string, other: string): boolean => folder.startsWith(`${other}/`);

/** True if neither folder contains the other folder. */
export const areApart = ([one, other]: readonly [string, string]): boolean =>
  !isInside(one, other) && !isInside(other, one);

/** Folders that hold more than 16 of the files, with the number of their files. Migrations are exempt. */
export const largeFolders = (files: readonly string[]): readonly string[] =>
  [...Map.groupBy(files, (path) => dirname(path))]
    .filter(([folder, { length }]) => length > MOST_FILES && !isMigrations(folder))
    .map(([folder, { length }]) => `${folder} (${length})`);

const folders = (): ImportGraph => folderGraph(productionGraph());

const named = (pairs: readonly (readonly [string, string])[]): readonly string[] =>
  pairs.map((pair) => pair.join(' <-> '));

export const FOLDER_GUARDS: readonly Guard[] = [
  { name: 'folder circles', find: () => cyclesOf(folders()).map((circle) => circle.toSorted().join(' ')) },
  { name: 'mutual pairs of folders', find: () => named(mutualPairs(folders())) },
  {
    name: 'mutual pairs of folders, neither inside the other',
    find: () => named(mutualPairs(folders()).filter(areApart)),
  },
  { name: 'folders over 16 files', find: () => largeFolders(PRODUCTION) },
  { name: 'test folders over 16 files', find: () => largeFolders(TESTS) },
];
