/** The files that the guards measure. Names of rooms stand in this file and in no other file of the folder. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Import, type ImportGraph, importGraph } from '../import-graph.ts';

const filesOfProject = (): readonly string[] =>
  execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
    .split('\0')
    .filter((path) => path !== '' && existsSync(path));

const ALL = filesOfProject();
const isCode = (path: string): boolean => /\/.*\.[jt]s$/.test(path);

/** Production code: `.ts` and `.js` files in all folders but the tests, the documentation and the examples. */
export const PRODUCTION: readonly string[] = ALL.filter(
  (path) => isCode(path) && !/^(test|docs|examples)\//.test(path),
);

let graph: ImportGraph | undefined;

/** What the files of production import: values, types, and what they load later by `import()`. */
export const productionGraph = (): ImportGraph => {
  graph ??= importGraph(PRODUCTION);
  return graph;
};

/** Code of the tests. The recorded tables of the conformance suites are data. */
export const TESTS: readonly string[] = ALL.filter(
  (path) => isCode(path) && path.startsWith('test/') && !path.startsWith('test/conformance/'),
);

/** Pages; what is generated in them is no hand-written text. */
export const PAGES: readonly string[] = ALL.filter((path) => path.endsWith('.md'));

/** True if the folder holds migrations of a database, which are numbered and only grow. */
export const isMigrations = (folder: string): boolean => /(^|\/)migrations(\/|$)/.test(folder);

const CONTROLLER_FACE = /^(lambdas\/[^/]+\/)(?:deps|events|message|queue|report|scheduler-state)\.ts$/;

/**
 * True if a sub-folder of a controller imports one of the controller's files that tests and targets know by their place.
 * These imports are no edge between folders.
 */
export const isControllerFace = ({ path, target }: Import): boolean => {
  const [, folder] = CONTROLLER_FACE.exec(target) ?? [];
  return folder !== undefined && path.startsWith(folder) && path.slice(folder.length).includes('/');
};

/** The room of the API server, and the functions that serve its requests. */
export const API_SERVER = { room: 'shared/apiserver/', functions: ['apiserver', 'heartbeat'] };

/** Entry files of the functions, by the name of the folder. The controllers of a group come with its entry, which is written when it is bundled. */
export const FUNCTIONS: ReadonlyMap<string, string> = new Map(
  PRODUCTION.flatMap((path): readonly (readonly [string, string])[] => {
    const [, name] = /^lambdas\/([^/]+)\/(?:group-)?handler\.ts$/.exec(path) ?? [];
    return name === undefined ? [] : [[name, path]];
  }),
);
