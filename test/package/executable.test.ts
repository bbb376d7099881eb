/** The whole program as one executable: alone in a folder, on a machine whose PATH has no Node. */
import {
  accessSync,
  constants,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeProgramExecutable } from '../../bundling/program-executable.ts';
import { cleanEnvironment } from '../readme/checkout.ts';
import { joinWords, removeGroupsAndMounts, startAgent } from '../support/agent/machines/agent-process.ts';
import { eventually } from '../support/clocks/eventually.ts';
import {
  type HostProcess,
  type Launch,
  rollcall,
  runBy,
  startHostBy,
} from '../support/servers/host-process.ts';
import { openDashboard } from '../support/servers/open-dashboard.ts';
import { tokenByProfile } from './aws-profile.ts';

const PATIENCE_MS = 40_000;
const MOST_BYTES = 150e6;
const OF_NODE = /^(node|nodejs|npm|npx|corepack|rollcall)$/;
const root = mkdtempSync(join(tmpdir(), 'rollcall-executable-'));
const machine = join(root, 'machine');
const executable = join(machine, 'rollcall');

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};

/** A folder with all programs of this machine, but those of Node. */
const programsWithoutNode = (): string => {
  const folder = join(root, 'bin');
  mkdirSync(folder);
  const found = new Map<string, string>();
  for (const place of (cleanEnvironment()['PATH'] ?? '').split(':')) {
    for (const name of isFolder(place) ? readdirSync(place) : [])
      if (!found.has(name) && !OF_NODE.test(name) && isProgram(join(place, name)))
        found.set(name, join(place, name));
  }
  for (const [name, path] of found) symlinkSync(path, join(folder, name));
  return folder;
};

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

let program: Launch;

beforeAll(async () => {
  mkdirSync(machine);
  copyFileSync(await makeProgramExecutable(join(root, 'made')), executable);
  rmSync(join(root, 'made'), { recursive: true });
  const env = { ...cleanEnvironment(), PATH: programsWithoutNode() };
  program = { command: ['./rollcall'], cwd: machine, env };
}, 240_000);

afterAll(() => rmSync(root, { recursive: true, force: true }));

const run = (...args: readonly string[]) => runBy(program, ...args);

/** What a package or a checkout says, where npx is; the executable has none. */
const withoutNpx = ({ output, ...rest }: Awaited<ReturnType<typeof run>>) => ({
  ...rest,
  output: output.replaceAll('npx rollcall', 'rollcall'),
});

describe('the executable', () => {
  it('is one file of at most 150 MB, which needs no Node', async () => {
    const bytes = statSync(executable).size;
    process.stdout.write(`executable: ${(bytes / 1e6).toFixed(1)} MB\n`);
    const said = [...readFileSync('docs/install.md', 'utf8').matchAll(/\b(1\d\d) MB\b/g)];
    expect(said.map(([, megabytes]) => Math.abs(Number(megabytes) - bytes / 1e6) <= 3)).toEqual([true, true]);
    expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
    expect(readdirSync(machine)).toEqual(['rollcall']);
    const found = await runBy({ ...program, command: ['sh', '-c', 'command -v node npm npx'] });
    expect(found.output).toBe('');
  });

  it('names no folder of the machine where it was made', () => {
    const bytes = readFileSync(executable);
    for (const folder of [process.cwd(), root]) expect(bytes.includes(folder), folder).toBe(false);
  });

  it('is the same program as the checkout: the same commands, the same help, the same settings', async () => {
    // Completion loads all commands, and prints their options with what their help says.
    const lines = [
      '--help',
      '--version',
      'config',
      'simulate list',
      'completion zsh',
      'agent run',
      'serve --help',
    ];
    for (const line of lines) {
      const [alone, source] = await Promise.all([run(...line.split(' ')), rollcall(...line.split(' '))]);
      expect(alone, line).toEqual(withoutNpx(source));
    }
  });

  it('runs a host in the folder where it is called, and goes on after kill -9', async () => {
    const folder = join(machine, '.rollcall');
    const host = await startHostBy(program, folder);
    await host.send('POST', '/api/v1/nodes', { metadata: { name: 'n1' } });
    for (const line of [
      ['token', '--admin'],
      ['env'],
      ['kubeconfig'],
      ['rotate-key', 'status'],
      ['explain', 'node', 'n1'],
    ])
      expect(await run(...line), line.join(' ')).toMatchObject({ code: 0 });
    expect((await run('doctor', '--only', 'server')).output).toMatch(/ok +server/);
    expect((await run('__complete', 'nodes')).output).toBe('n1\n');
    await host.kill();
    expect((await run('doctor', '--only', 'port')).output).toMatch(/rollcall serve/);
    const again = await startHostBy(program, folder);
    expect((await again.nodes()).map(({ metadata }) => metadata.name)).toEqual(['n1']);
    expect(await run('backup', 'create', 'today.backup')).toMatchObject({ code: 0 });
    expect(await again.stop()).toBe(0);
    expect(again.output()).not.toMatch(/Warning|npx/);
    expect(await run('backup', 'restore', 'today.backup')).toMatchObject({ code: 0 });
  });

  it('shows the page of the dashboard, and simulates an outage in a process of its own', async () => {
    const folder = join(machine, 'fleet');
    const host = await startHostBy(program, folder, '--fleet', '--fast', '--nodes', '3', '--zones', '1');
    try {
      await simulateOutage(host, folder);
    } finally {
      await host.stop();
    }
  });

  it('has the built-in scenarios', async () => {
    const { code, output } = await run('simulate', 'zone-outage');
    expect(output).toMatch(/verdict +passed/);
    expect(code).toBe(0);
  });

  it('finds credentials for AWS where the SDK looks for them, in a profile too', async () => {
    const { code, output } = await tokenByProfile(program, join(root, 'home'));
    expect(output).toMatch(/ECONNREFUSED/);
    expect(code).toBe(1);
  });

  it('makes this machine a node, with a small heap, and runs a pod', async () => {
    const host = await startHostBy(program, join(machine, 'for-agent'));
    try {
      await runPod(host);
    } finally {
      await host.stop();
    }
  });
});

const simulateOutage = async (host: HostProcess, folder: string): Promise<void> => {
  const link = await eventually(
    'the link',
    PATIENCE_MS,
    async () => /http:\S+token=\S+/.exec(host.output())?.[0],
  );
  const opened = await openDashboard(link);
  const cookie = opened.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const ask = (path: string) => fetch(new URL(path, link), { headers: { cookie } });
  expect(await (await ask('/main.js')).text()).toContain('EventSource');
  expect(await run('outage', '--all', '--folder', folder)).toMatchObject({ code: 0 });
  const answer = await eventually('the simulation', PATIENCE_MS, async () => {
    const given = await ask('/data/what-if?nodeMonitorGracePeriodMs=600000');
    return given.status === 200 && ((await given.json()) as { readonly totals: readonly object[] });
  });
  // What happened, and what the simulation made of it under both settings.
  expect(answer.totals).toHaveLength(3);
};

const podOf = (nodeName: string) => ({
  metadata: { name: 'p' },
  spec: {
    nodeName,
    terminationGracePeriodSeconds: 1,
    containers: [{ name: 'c', image: 'host', command: ['/bin/sh', '-c', 'exec sleep 300'] }],
  },
});

const runPod = async (host: HostProcess): Promise<void> => {
  const folder = join(root, 'agent');
  mkdirSync(folder, { mode: 0o700 });
  const config = join(folder, 'kubelet.yaml');
  writeFileSync(config, `podLogsDir: ${join(folder, 'logs')}\n`);
  const own = ['--root-dir', folder, '--config', config, '--hostname-override', 'm1'];
  const words = [...(await joinWords(join(machine, 'for-agent'))), ...own];
  const env = program.env === undefined ? {} : { env: program.env };
  const agent = startAgent(words, { command: [executable], ...env });
  const seen = <T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> =>
    eventually(what, PATIENCE_MS, look, { seen: agent.output });
  try {
    await seen('the node', async () => (await host.nodes()).some(({ metadata }) => metadata.name === 'm1'));
    await host.send('POST', '/api/v1/namespaces/default/pods', podOf('m1'));
    await seen('the pod runs', async () => (await host.pods())[0]?.status?.phase === 'Running');
    expect(readFileSync(`/proc/${agent.pid}/cmdline`, 'utf8')).toContain('--max-semi-space-size=1');
    await host.send('DELETE', '/api/v1/namespaces/default/pods/p');
    await seen('the pod is gone', async () => (await host.pods()).length === 0);
  } finally {
    await agent.end('SIGTERM');
    await removeGroupsAndMounts(folder);
  }
};
