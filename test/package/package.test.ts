import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/clocks/eventually.ts';
import { type Launch, rollcall, runBy, startHostBy } from '../support/servers/host-process.ts';
import { openDashboard } from '../support/servers/open-dashboard.ts';
import { tokenByProfile } from './aws-profile.ts';
import { diskUsage, filesBelow, type Installed, installPackage, ownEnvironment } from './installed.ts';

const MOST_BYTES = 40e6;
/** All that is in the package. */
const KNOWN =
  /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|cli\/rollcall\.js|dist\/[\w-]+\.mjs|dist\/scenarios\/[\w-]+\.yaml|dist\/page\/(index\.html|icon\.svg|main\.js|style\.css)|dist\/third-party-licenses\.txt)$/;

const helpOf = async (): Promise<readonly string[]> => {
  const { output } = await rollcall('--help');
  return [...output.matchAll(/^ {2}([\w-]+) +/gm)].map(([, name = '']) => name);
};

describe('the package that npm pack makes', () => {
  let installed: Installed;
  let content: string;
  let npx: Launch;
  /** The same without npm's half a second. */
  let program: Launch;

  beforeAll(() => {
    installed = installPackage();
    content = join(installed.folder, 'node_modules', 'rollcall');
    const cwd = installed.folder;
    const env = ownEnvironment();
    program = { command: [join(cwd, 'node_modules', '.bin', 'rollcall')], cwd, env };
    npx = { command: ['npx', '--offline', 'rollcall'], cwd, env };
  });

  afterAll(() => installed.remove());

  it('has what its users need, and nothing of tests, deployment or documentation', () => {
    expect(filesBelow(content).filter((path) => !KNOWN.test(path))).toEqual([]);
    expect(filesBelow(content).filter((path) => path.endsWith('.yaml'))).not.toEqual([]);
  });

  it('is all that npm installs, in at most 40 MB', () => {
    const modules = join(installed.folder, 'node_modules');
    const bytes = diskUsage(modules);
    process.stdout.write(`installed: ${(bytes / 1e6).toFixed(1)} MB\n`);
    expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['rollcall']);
    expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
  });

  it('is as docs/install.md says: its size, the versions of Node, and no dependencies', () => {
    const page = readFileSync('docs/install.md', 'utf8').replaceAll(/\s+/g, ' ');
    const [, said] = /the package that `npm pack` makes: (\d+) MB, without dependencies/.exec(page) ?? [];
    const bytes = diskUsage(join(installed.folder, 'node_modules'));
    expect(Math.abs(Number(said) - bytes / 1e6)).toBeLessThanOrEqual(1);
    const manifest = JSON.parse(readFileSync(join(content, 'package.json'), 'utf8')) as {
      readonly dependencies?: object;
      readonly engines: { readonly node: string };
    };
    expect(manifest.dependencies ?? {}).toEqual({});
    const [, newest, older] = /needs Node\.js (\d+) or newer, or (\d+\.\d+) and later/.exec(page) ?? [];
    expect(manifest.engines.node).toBe(`^${older}.0 || >=${newest}`);
  });

  it('names no folder of the machine where it was packed', () => {
    const folders = [installed.checkout, process.cwd()];
    const telling = filesBelow(content).filter((path) => {
      const text = readFileSync(join(content, path), 'utf8');
      return folders.some((folder) => text.includes(folder));
    });
    expect(telling).toEqual([]);
  });

  it('has the licences of what was bundled', () => {
    const licences = readFileSync(join(content, 'dist', 'third-party-licenses.txt'), 'utf8');
    expect(licences).toMatch(/^jose \d/m);
    expect(licences).toMatch(/^@aws-sdk\/client-secrets-manager \d/m);
    expect(licences).toMatch(/Apache License/);
  });

  it('is the same program as the checkout: the same commands, the same help, the same settings', async () => {
    const commands = await helpOf();
    expect(commands.length).toBeGreaterThan(8);
    const lines = [['--help'], ['config'], ...commands.map((name) => [name, '--help'])];
    for (const line of lines) {
      const [packed, source] = await Promise.all([runBy(program, ...line), rollcall(...line)]);
      expect(packed, line.join(' ')).toEqual(source);
    }
  });

  it('tells the version of the checkout, and no commit: the copy that was packed has no history', async () => {
    const [packed, source] = await Promise.all([runBy(program, '--version'), rollcall('--version')]);
    expect(packed).toEqual({ ...source, output: source.output.replace(/, commit [0-9a-f]+/, '') });
  });

  it('runs a host, as `npx rollcall serve`, for curl, kubectl and the other commands', async () => {
    const folder = join(installed.folder, 'state');
    const host = await startHostBy(npx, folder);
    const served = await host.get<{ items: readonly object[] }>('/api/v1/namespaces');
    expect(served.items).toHaveLength(4);
    const found = ['--folder', folder];
    for (const line of [['token', '--admin'], ['env'], ['kubeconfig'], ['rotate-key', 'status']])
      expect(await runBy(program, ...line, ...found), line.join(' ')).toMatchObject({ code: 0 });
    const file = join(installed.folder, 'today.backup');
    expect(await runBy(program, 'backup', 'create', file, ...found)).toMatchObject({ code: 0 });
    expect(await host.stop()).toBe(0);
    expect(await runBy(program, 'backup', 'restore', file, ...found)).toMatchObject({ code: 0 });
  });

  it('runs the fleet of the demonstration, with its page', async () => {
    const folder = join(installed.folder, 'fleet');
    const host = await startHostBy(program, folder, '--fleet', '--nodes', '3');
    const link = await eventually(
      'the link',
      10_000,
      async () => /http:\S+token=\S+/.exec(host.output())?.[0],
    );
    const opened = await openDashboard(link);
    const cookie = opened.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    const script = await fetch(new URL('/main.js', link), { headers: { cookie } });
    expect(await script.text()).toContain('EventSource');
    expect(await host.stop()).toBe(0);
    expect(host.output()).toContain('Rollcall answers at');
  });

  it('has the built-in scenarios', async () => {
    const { code, output } = await runBy(program, 'simulate', 'node-crash');
    expect(output).toMatch(/verdict +passed/);
    expect(code).toBe(0);
  });

  it('finds credentials for AWS where the SDK looks for them, in a profile too', async () => {
    const { code, output } = await tokenByProfile(program, join(installed.folder, 'home'));
    expect(output).toMatch(/ECONNREFUSED/);
    expect(code).toBe(1);
  });
});
