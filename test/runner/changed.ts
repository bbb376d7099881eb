/** The parts of `npm run check -- --changed`: what the rooms of the changed files must run. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ALWAYS, roomOf } from '../architecture/rooms.ts';
import { type Part, vitestPart } from './parts.ts';

/** The commands of package.json by their names. */
export type Scripts = Readonly<Record<string, string>>;

/** What all suites stand on. */
const OF_SUPPORT = ['test:unit', 'test:property', 'test:contract'];

/** A suite runs if one of its own files changes. */
const scriptsOfTest = (path: string): readonly string[] => {
  const [, folder = '', inner = ''] = path.split('/');
  if (folder === 'support') return OF_SUPPORT;
  return [`test:${folder === 'host' && inner === 'agent' ? inner : folder}`];
};

const scriptsOf = (path: string): readonly string[] =>
  path.startsWith('test/') ? scriptsOfTest(path) : (roomOf(path)?.checks ?? []);

/** The scripts that a change of the files must run, each once, in the order of package.json. */
export const changedScripts = (files: readonly string[], scripts: Scripts): readonly string[] => {
  const wanted = new Set([...ALWAYS, ...files.flatMap(scriptsOf)]);
  return Object.keys(scripts).filter((script) => wanted.has(script));
};

const git = (...args: readonly string[]): readonly string[] =>
  execFileSync('git', args, { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');

/** What differs from the commit in which the branch left `main`: commits, changes without a commit, and new files. */
const changedFiles = (): readonly string[] => {
  const [base = 'HEAD'] = git('merge-base', 'main', 'HEAD');
  return [
    ...git('diff', '--name-only', '--no-renames', base),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
};

/** The parts that the changes of the working tree must run. */
export const changedParts = (): readonly Part[] => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly scripts: Scripts };
  return changedScripts(changedFiles(), scripts).map((script) =>
    scripts[script]?.startsWith('vitest run') ? vitestPart(script) : { script },
  );
};
