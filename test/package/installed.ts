/** The package as its users have it: packed from a copy of the checkout, installed into a folder of its own. */
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { cleanEnvironment, copyCheckout, removeCheckout } from '../readme/checkout.ts';

export interface Installed {
  /** Where `npm install` was run. */
  readonly folder: string;
  /** What `npm pack` wrote. */
  readonly archive: string;
  /** The copy of the checkout that was packed. */
  readonly checkout: string;
  remove(): void;
}

/** Bytes of a block, as `du` counts them. */
const BLOCK = 512;

/** Of a machine whose programs are those of `folder` before all others. */
export const environmentWith = (folder: string): NodeJS.ProcessEnv => {
  const env = cleanEnvironment();
  const quiet = { NPM_CONFIG_UPDATE_NOTIFIER: 'false', NPM_CONFIG_LOGLEVEL: 'error' };
  return { ...env, ...quiet, PATH: [folder, env['PATH']].join(delimiter) };
};

/** The environment of a machine with the Node that runs the tests. */
export const ownEnvironment = (): NodeJS.ProcessEnv => environmentWith(dirname(process.execPath));

const npm = (cwd: string, ...args: readonly string[]): void => {
  execFileSync('npm', [...args, '--silent'], {
    cwd,
    env: ownEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
};

/** Packs and installs, without a network: the package has no dependencies. */
export const installPackage = (): Installed => {
  const root = mkdtempSync(join(tmpdir(), 'rollcall-package-'));
  const checkout = copyCheckout();
  npm(checkout, 'pack', '--pack-destination', root);
  const [archive = ''] = readdirSync(root).map((name) => join(root, name));
  // Most people have a folder with a space somewhere.
  const folder = join(root, 'a machine');
  mkdirSync(folder);
  npm(folder, 'install', '--offline', '--prefix', folder, archive);
  return {
    folder,
    archive,
    checkout,
    remove: () => {
      rmSync(root, { recursive: true, force: true });
      removeCheckout(checkout);
    },
  };
};

/** Paths of all files below `folder`, relative to it. */
export const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .toSorted();

/** Bytes that a folder takes on its disk, as `du -s` counts. */
export const diskUsage = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => lstatSync(join(folder, path)).blocks * BLOCK)
    .reduce((sum, bytes) => sum + bytes, lstatSync(folder).blocks * BLOCK);
