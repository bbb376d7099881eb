/** The code of an earlier release, from the history of this repository, ready to be deployed. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The file of the suite that deploys this release over an earlier one. */
export const UPGRADE_FILE = 'stack/upgrade.int.test.ts';

const git = (...args: readonly string[]): Buffer =>
  execFileSync('git', args, { maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'inherit'] });

const lastRelease = (): string =>
  git('log', '-1', '--format=%H', '--grep=^chore(release): ').toString().trim();

/** Makes a folder of a commit's files with what they depend on, and returns it; it goes with this process. Without a commit: of the last release. */
export const checkOut = (commit = lastRelease()): string => {
  if (commit === '')
    throw new Error('no release is in the history of this clone: fetch all of it, or name a commit');
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-earlier-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  execFileSync('tar', ['--extract', '--directory', folder], { input: git('archive', commit) });
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return folder;
};
