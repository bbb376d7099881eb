/** The checkout of the working folder, as a release reads and changes it. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plan, Sources } from './plan.ts';

/** Where changes wait for a release, with a README.md that says how. */
const CHANGES = '.changes';

const PATHS = { changelog: 'CHANGELOG.md', manifest: 'package.json', lock: 'package-lock.json' };

const textOf = (path: string): string => readFileSync(path, 'utf8');

const git = (...args: readonly string[]): string => execFileSync('git', args, { encoding: 'utf8' });

/** Names of the files in which changes wait. */
const changeFiles = (): readonly string[] => readdirSync(CHANGES).filter((name) => name !== 'README.md');

/** Reads what a release is made of. */
export const readSources = (): Sources => ({
  changelog: textOf(PATHS.changelog),
  manifest: textOf(PATHS.manifest),
  lock: textOf(PATHS.lock),
  changes: Object.fromEntries(changeFiles().map((name) => [name, textOf(join(CHANGES, name))])),
});

/** Throws an Error if a file is changed or unknown to git: the commit of a release holds nothing else. */
export const refuseDirty = (): void => {
  const status = git('status', '--porcelain').trimEnd();
  if (status !== '') throw new Error(`commit or remove these first:\n${status}`);
};

/** Throws an Error if the tag of a version is there already. */
export const refuseTagged = (version: string): void => {
  if (git('tag', '--list', version) !== '') throw new Error(`the tag ${version} exists already`);
};

/** The arguments of git that record a release whose files are written. */
export const recordingOf = (version: string): readonly (readonly string[])[] => [
  ['add', '--all'],
  ['commit', '--message', `chore(release): ${version}`],
  ['tag', '--annotate', version, '--message', `rollcall ${version}`],
];

/** Writes the files of a release, removes the changes that it names, and makes its commit and its tag. */
export const record = (plan: Plan): void => {
  for (const name of ['changelog', 'manifest', 'lock'] as const) writeFileSync(PATHS[name], plan[name]);
  for (const name of changeFiles()) rmSync(join(CHANGES, name));
  for (const args of recordingOf(plan.version)) git(...args);
};
