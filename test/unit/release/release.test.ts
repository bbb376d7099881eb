import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const PROGRAM = resolve('release/release.ts');
const CHANGE = '---\nkind: added\n---\n\nNodes have names.\n';
const FILES = {
  'CHANGELOG.md': '# Changelog\n\n## 0.1.0 - 2026-01-02\n\nAll.\n',
  'package.json': '{ "name": "x", "version": "0.1.0" }\n',
  'package-lock.json': '{ "version": "0.1.0", "packages": { "": { "version": "0.1.0" } } }\n',
  '.changes/README.md': 'How.\n',
  '.changes/names.md': CHANGE,
};

const person = { NAME: 'Somebody', EMAIL: 'somebody@example.org' };
const own = Object.entries(person).flatMap(([name, value]) =>
  ['AUTHOR', 'COMMITTER'].map((role) => [`GIT_${role}_${name}`, value]),
);
// Hooks of git, and whoever runs the tests, may have set variables that lead git to another checkout.
const others = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
const env = {
  ...Object.fromEntries([...others, ...own]),
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
};

describe('npm run release', () => {
  let folder: string;

  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: folder, env, encoding: 'utf8' }).trim();

  const textOf = (path: string): string => readFileSync(join(folder, path), 'utf8');

  const commitFile = (path: string, text: string): void => {
    writeFileSync(join(folder, path), text);
    git('add', '--all');
    git('commit', '--quiet', '--message', path);
  };

  const release = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rollcall-release-'));
    git('init', '--quiet');
    mkdirSync(join(folder, '.changes'));
    for (const [path, text] of Object.entries(FILES)) commitFile(path, text);
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('writes section and versions, removes the changes, and makes a commit with a tag', () => {
    const { status, stderr } = release('minor', '--date', '2026-03-04');
    expect([status, stderr]).toEqual([0, '']);
    expect(textOf('CHANGELOG.md')).toContain(
      '\n## 0.2.0 - 2026-03-04\n\n### Added\n\n- Nodes have names.\n\n## 0.1.0',
    );
    for (const path of ['package.json', 'package-lock.json']) expect(textOf(path)).not.toContain('0.1.0');
    expect(readdirSync(join(folder, '.changes'))).toEqual(['README.md']);
    expect(git('log', '-1', '--format=%s')).toBe('chore(release): 0.2.0');
    expect(git('rev-parse', '0.2.0^{commit}')).toBe(git('rev-parse', 'HEAD'));
    expect(git('status', '--porcelain')).toBe('');
  });

  it('with --dry-run prints section and commands, and changes nothing', () => {
    const before = git('rev-parse', 'HEAD');
    const { status, stdout } = release('0.3.0', '--dry-run', '--date', '2026-03-04');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^## 0\.3\.0 - 2026-03-04\n/);
    expect(stdout).toContain("git commit --message 'chore(release): 0.3.0'\ngit tag --annotate 0.3.0 ");
    expect([git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag')]).toEqual([before, '', '']);
  });

  it('takes the day of today', () => {
    const days = () => new Date().toISOString().slice(0, 10);
    const before = days();
    const { stdout } = release('patch', '--dry-run');
    expect([before, days()]).toContain(/^## 0\.1\.1 - (\S+)$/m.exec(stdout)?.[1]);
  });

  it.each([
    ['without a version', [], 'Usage: npm run release'],
    ['with two versions', ['minor', 'major'], 'Usage: npm run release'],
    ['with a day that is none', ['minor', '--date', '2026-02-30'], 'Usage: npm run release'],
    ['with a version that does not rise', ['0.1.0'], '0.1.0 does not lie above 0.1.0'],
    ['with an unknown option', ['minor', '--now'], "Unknown option '--now'"],
  ])('is refused %s', (_case, args, fault) => {
    expect(release(...args)).toMatchObject({ status: 1, stderr: expect.stringContaining(fault) });
    expect([git('status', '--porcelain'), git('tag')]).toEqual(['', '']);
  });

  it('is refused while a file is not committed', () => {
    writeFileSync(join(folder, 'new.ts'), '');
    expect(release('minor').stderr).toBe('release: commit or remove these first:\n?? new.ts\n');
  });

  it('is refused while a change cannot be read', () => {
    commitFile('.changes/other.md', 'Pods have names.\n');
    expect(release('minor').stderr).toMatch(/^release: \.changes\/other\.md: it begins/);
  });

  it('is refused if no change waits', () => {
    expect(release('minor').status).toBe(0);
    expect(release('minor').stderr).toContain('no change waits in .changes');
  });

  it('is refused if its tag is there', () => {
    git('tag', '0.2.0');
    expect(release('minor').stderr).toBe('release: the tag 0.2.0 exists already\n');
    expect(git('status', '--porcelain')).toBe('');
  });
});
