/**
 * Guard of small files: a file that only one file of its folder imports is a part of that file's idea, if both are small.
 * `npm run guards -- --sites 'files to merge into their importer'` lists the candidates.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import type { ImportGraph } from '../import-graph.ts';
import type { Guard } from './guard.ts';
import { isMigrations, PRODUCTION, productionGraph } from './source.ts';

/** Most lines of a file that is merged. */
const MAX_LINES = 60;
/** A file that another file is merged into stays below this number of lines. */
const IMPORTER_LINES = 200;

/** Files that are borders of a bundle, and `report`, `work` and so on beside them: they stay apart in every controller. */
const APART: ReadonlySet<string> = new Set([
  'controller',
  'controllers',
  'deps',
  'env',
  'events',
  'handler',
  'message',
  'metrics',
  'queue',
  'report',
  'routing',
  'work',
]);

/** The text of each file, by its path. */
export type Texts = ReadonlyMap<string, string>;

const linesOf = (text = ''): number => text.split('\n').length - 1;

const nameOf = (path: string): string => basename(path, extname(path));

const importersIn = (graph: ImportGraph): ReadonlyMap<string, ReadonlySet<string>> => {
  const importers = new Map<string, Set<string>>();
  for (const [path, targets] of graph)
    for (const target of targets) {
      const known = importers.get(target);
      if (known) known.add(path);
      else importers.set(target, new Set([path]));
    }
  return importers;
};

const areSmall = (file: string, importer: string, texts: Texts): boolean => {
  const lines = linesOf(texts.get(file));
  return lines <= MAX_LINES && lines + linesOf(texts.get(importer)) < IMPORTER_LINES;
};

const areNeighbours = (file: string, importer: string): boolean =>
  dirname(file) === dirname(importer) && extname(file) === extname(importer) && !isMigrations(dirname(file));

/** True if the importer loads the file later, or as one object: then the file is a unit that the importer names. */
const isLoadedWhole = (file: string, text = ''): boolean =>
  text.includes(`import('./${basename(file)}')`) ||
  new RegExp(`\\* as \\w+ from '\\./${basename(file).replaceAll('.', '\\.')}'`).test(text);

/**
 * Files to merge, as `file -> importer`. A program, which no file imports, is no importer: it runs when a test loads it.
 */
export const mergeCandidates = (graph: ImportGraph, texts: Texts): readonly string[] => {
  const importers = importersIn(graph);
  return [...graph.keys()].flatMap((file) => {
    const [importer, ...others] = importers.get(file) ?? [];
    if (importer === undefined || others.length > 0 || !importers.has(importer)) return [];
    const isApart = [file, importer].some((path) => APART.has(nameOf(path)));
    const fits = areNeighbours(file, importer) && areSmall(file, importer, texts);
    return !isApart && fits && !isLoadedWhole(file, texts.get(importer)) ? [`${file} -> ${importer}`] : [];
  });
};

const textsOf = (paths: readonly string[]): Texts =>
  new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]));

export const MERGE_GUARDS: readonly Guard[] = [
  {
    name: 'files to merge into their importer',
    find: () => mergeCandidates(productionGraph(), textsOf(PRODUCTION)),
  },
];
