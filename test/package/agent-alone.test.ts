/** The agent without the rest of the package: one file, and one executable. Each makes this machine a node, and runs a pod. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAgentExecutable } from '../../bundling/agent-executable.ts';
import { bundleAgent } from '../../bundling/agent-file.ts';
import { joinWords, removeGroupsAndMounts, startAgent } from '../support/agent/machines/agent-process.ts';
import { eventually } from '../support/clocks/eventually.ts';
import { type HostProcess, runBy, startHostProcess } from '../support/servers/host-process.ts';

const PATIENCE_MS = 40_000;
const OLDEST = process.env['ROLLCALL_OLDEST_NODE'] ?? '';
const folder = mkdtempSync(join(tmpdir(), 'rollcall-alone-'));
// Files that are not found beside the checkout are not found at all.
const file = join(folder, 'made', 'rollcall-agent.cjs');
const executable = join(folder, 'made', 'rollcall-agent');
const programs: Readonly<Record<string, readonly [string, ...string[]]>> = {
  'the file': [process.execPath, file],
  'the executable': [executable],
  ...(existsSync(OLDEST) ? { 'the file, on the oldest Node': [OLDEST, file] as const } : {}),
};
let host: HostProcess;

beforeAll(async () => {
  makeAgentExecutable(await bundleAgent(join(folder, 'made')));
  host = await startHostProcess(join(folder, 'host'));
}, 120_000);

afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

const podOf = (name: string, nodeName: string) => ({
  metadata: { name },
  spec: {
    nodeName,
    terminationGracePeriodSeconds: 1,
    containers: [{ name: 'c', image: 'host', command: ['/bin/sh', '-c', 'exec sleep 300'] }],
  },
});

/** An agent on a folder of its own, with a file of settings. */
const startOn = async (name: string, program: readonly string[]) => {
  const root = join(folder, name);
  mkdirSync(root, { mode: 0o700 });
  const config = join(root, 'kubelet.yaml');
  writeFileSync(config, `podLogsDir: ${join(root, 'logs')}\n`);
  const words = await joinWords(join(folder, 'host'));
  const own = ['--root-dir', root, '--config', config, '--hostname-override', name];
  return { root, agent: startAgent([...words, ...own], { command: program }) };
};

const phaseOf = async (name: string): Promise<string | undefined> =>
  (await host.pods()).find(({ metadata }) => metadata.name === name)?.status?.phase;

describe.each(Object.entries(programs))('%s', (title, program) => {
  const name = `n${Object.keys(programs).indexOf(title)}`;

  it('tells its version and its commands, by its own name', async () => {
    const { code, output } = await runBy({ command: program }, '--version');
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(/^rollcall-agent \d+\.\d+\.\d+, Node \d+\.\d+\.\d+(, commit [0-9a-f]{7,})?\n$/),
    ]);
    const help = await runBy({ command: program }, 'run', '--help');
    expect(help.output).toMatch(/^Usage: rollcall-agent run --server URL/);
    expect(help.output).not.toContain('rollcall agent');
    const wrong = await runBy({ command: program }, 'run', '--server', 'x');
    expect(wrong).toMatchObject({
      code: 2,
      output: expect.stringContaining('rollcall-agent: --server x is no URL'),
    });
  });

  it('joins by the line that was printed for the package, runs a pod, and says how it is', async () => {
    const { root, agent } = await startOn(name, program);
    const seen = <T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> =>
      eventually(what, PATIENCE_MS, look, { seen: agent.output });
    try {
      await seen('the node', async () => (await host.nodes()).some(({ metadata }) => metadata.name === name));
      await host.send('POST', '/api/v1/namespaces/default/pods', podOf(name, name));
      await seen('the pod runs', async () => (await phaseOf(name)) === 'Running');
      const { output } = await runBy({ command: program }, 'status', '--root-dir', root);
      expect(output).toMatch(new RegExp(`node: +${name}\n`));
      expect(output).toContain(`process:    ${agent.pid}, `);
      await host.send('DELETE', `/api/v1/namespaces/default/pods/${name}`);
      await seen('the pod is gone', async () => (await phaseOf(name)) === undefined);
      expect(agent.output()).not.toMatch(/Warning|rollcall agent/);
    } finally {
      await agent.end('SIGTERM');
      await removeGroupsAndMounts(root);
    }
  });
});

it('the file starts with a small heap, whichever way it was called', async () => {
  const link = join(folder, 'linked');
  symlinkSync(file, link);
  const { root, agent } = await startOn('linked-node', [process.execPath, link]);
  try {
    const words = await eventually(
      'the flags',
      PATIENCE_MS,
      async () => {
        const all = readFileSync(`/proc/${agent.pid}/cmdline`, 'utf8').split('\0');
        return all.includes('--max-semi-space-size=1') && all;
      },
      { seen: agent.output },
    );
    expect(words).toEqual(expect.arrayContaining(['--optimize-for-size', link, 'agent', 'run']));
  } finally {
    await agent.end('SIGTERM');
    await removeGroupsAndMounts(root);
  }
});
