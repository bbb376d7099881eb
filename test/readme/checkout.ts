/** A copy of the checkout, as somebody has it who has just cloned it and installed what it needs. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';

const listed = (): readonly string[] =>
  execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
    .split('\0')
    .filter((path) => path !== '' && existsSync(path));

/** Returns the folder of the copy; there is nothing else beside it. */
export const copyCheckout = (): string => {
  const folder = join(mkdtempSync(join(tmpdir(), 'rollcall-readme-')), 'rollcall');
  for (const path of listed()) cpSync(path, join(folder, path), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  return folder;
};

/** Removes a copy, and what was put beside it. */
export const removeCheckout = (folder: string): void =>
  rmSync(dirname(folder), { recursive: true, force: true });

const split = (name: string): readonly string[] => (process.env[name] ?? '').split(delimiter);

/** Programs of the machine, not those of the checkout; kubectls of the tests come last, for machines that have no other. */
const searchPath = (): readonly string[] => [
  ...split('PATH').filter((folder) => !folder.includes('node_modules')),
  ...split('ROLLCALL_KUBECTLS').flatMap((path) => (path === '' ? [] : [dirname(path)])),
];

/** Without variables of the developer's own that would lead commands to another host or stack. */
export const cleanEnvironment = (): NodeJS.ProcessEnv => {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(ROLLCALL_|KUBECONFIG$|npm_|NODE_OPTIONS$|VITEST|NODE_ENV$|FORCE_COLOR$)/.test(name),
  );
  return { ...Object.fromEntries(own), PATH: searchPath().join(delimiter) };
};

/** Whether the blocks find a program. */
export const isInstalled = (program: string): boolean =>
  searchPath().some((folder) => existsSync(join(folder, program)));
