import { readFileSync } from 'node:fs';
import { dirname, normalize } from 'node:path';

/** Files of the project, each with what it imports: files of the project by their path, packages by their name. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

const targetOf = (path: string, specifier: string): string =>
  specifier.startsWith('.') ? normalize(`${dirname(path)}/${specifier}`) : specifier;

/** What the text of a file imports: values, types, and what it loads later by `import()`. */
export const importsOf = (path: string, text: string): readonly string[] =>
  [
    ...text.matchAll(
      /^(?:import|export)[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gms,
    ),
  ].map((match) => targetOf(path, match[1] ?? match[2] ?? match[3] ?? ''));

/** Reads the files. */
export const importGraph = (files: readonly string[]): ImportGraph =>
  new Map(files.map((path) => [path, importsOf(path, readFileSync(path, 'utf8'))]));

interface Visit {
  readonly order: Map<string, number>;
  readonly lowest: Map<string, number>;
  readonly open: string[];
  readonly found: string[][];
}

const componentOf = (file: string, { open, lowest }: Visit): string[] => {
  const files = open.splice(open.lastIndexOf(file));
  for (const one of files) lowest.set(one, Number.POSITIVE_INFINITY);
  return files;
};

const visit = (file: string, graph: ImportGraph, seen: Visit): number => {
  const own = seen.order.size;
  seen.order.set(file, own);
  seen.lowest.set(file, own);
  seen.open.push(file);
  for (const target of graph.get(file) ?? []) {
    if (!graph.has(target)) continue;
    const reached = seen.order.has(target) ? (seen.lowest.get(target) ?? own) : visit(target, graph, seen);
    seen.lowest.set(file, Math.min(seen.lowest.get(file) ?? own, reached));
  }
  const lowest = seen.lowest.get(file) ?? own;
  if (lowest === own) seen.found.push(componentOf(file, seen));
  return lowest === own ? Number.POSITIVE_INFINITY : lowest;
};

/**
 * Files that import each other, directly or by way of others: the strongly connected components of more than one file, and
 * files that import themselves. Source: Tarjan, "Depth-First Search and Linear Graph Algorithms" (1972).
 */
export const cyclesOf = (graph: ImportGraph): readonly (readonly string[])[] => {
  const seen: Visit = { order: new Map(), lowest: new Map(), open: [], found: [] };
  for (const file of graph.keys()) if (!seen.order.has(file)) visit(file, graph, seen);
  return seen.found.filter(([file = '', ...more]) => more.length > 0 || graph.get(file)?.includes(file));
};

/** The folder directly below `room` in which a file lies; `undefined` for files outside and for those at its root. */
export const folderIn = (room: string, path: string): string | undefined => {
  const [folder, ...rest] = path.startsWith(`${room}/`) ? path.slice(room.length + 1).split('/') : [];
  return rest.length > 0 ? folder : undefined;
};

/** One import of a file: of another file of the project, or of a package. */
export interface Import {
  readonly path: string;
  readonly target: string;
}

const importsIn = (graph: ImportGraph): readonly Import[] =>
  [...graph].flatMap(([path, targets]) => targets.map((target) => ({ path, target })));

/**
 * The graph of groups of files, such as folders: a group imports each other group of which a file of it imports a file.
 * Files without a group, packages, and imports that do not count are left out.
 */
export const groupGraph = (
  graph: ImportGraph,
  groupOf: (path: string) => string | undefined,
  counts: (one: Import) => boolean = () => true,
): ImportGraph => {
  const groups = new Map([...graph.keys()].map((path) => [groupOf(path), new Set<string>()]));
  for (const { path, target } of importsIn(graph).filter(counts)) {
    const [from, to] = [groupOf(path), groupOf(target)];
    if (to !== undefined && from !== to && groups.has(to)) groups.get(from)?.add(to);
  }
  return new Map([...groups].flatMap(([group, found]) => (group === undefined ? [] : [[group, [...found]]])));
};

/** Pairs of nodes of a graph that import each other. */
export const mutualPairs = (graph: ImportGraph): readonly (readonly [string, string])[] =>
  [...graph].flatMap(([from, targets]) =>
    targets
      .filter((to) => from < to && graph.get(to)?.includes(from))
      .map((to): readonly [string, string] => [from, to]),
  );

/** Pairs of folders of a room that import each other, as `a <-> b`. */
export const mutualFolders = (room: string, graph: ImportGraph): readonly string[] =>
  mutualPairs(groupGraph(graph, (path) => folderIn(room, path))).map((pair) => pair.join(' <-> '));

/** The files that `start` imports, directly or by way of other files, and `start` itself. */
export const closureOf = (start: string, graph: ImportGraph): ReadonlySet<string> => {
  const found = new Set([start]);
  for (const path of found)
    for (const target of graph.get(path) ?? []) if (graph.has(target)) found.add(target);
  return found;
};
