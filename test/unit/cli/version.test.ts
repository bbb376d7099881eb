import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { commitOf } from '../../../bundling/commit.ts';
import { ownVersion, versionLine } from '../../../cli/shell/version.ts';

const versions = `rollcall ${ownVersion()}, Node ${process.versions.node}`;

it.each([
  ['1d509c26', `${versions}, commit 1d509c26`],
  // What a bundle holds that was made without git.
  ['', versions],
])('the line of --version for the commit %j is %s', (commit, line) => {
  expect(versionLine('rollcall', commit)).toBe(line);
});

it('the commit of a checkout is that of git', () => {
  const full = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' });
  expect(full.startsWith(commitOf('.') ?? 'none')).toBe(true);
});

it('a folder inside of a checkout has no commit of its own', () => {
  expect(commitOf('cli')).toBeUndefined();
});
