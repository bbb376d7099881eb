/** The files that the guards measure. Names of rooms stand in this file and in no other file of the folder. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Import } from '../import-graph.ts';

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

/** Code of the tests. The recorded tables of the conformance suites are data. */
export const TESTS: readonly string[] = ALL.filter(
  (path) => isCode(path) && path.startsWith('test/') && !path.startsWith('test/conformance/'),
);

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
