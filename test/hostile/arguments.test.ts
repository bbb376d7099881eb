/** Each user of a machine can read the arguments of its programs: no secret is among them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quoted } from '../../cli/shell/quoted.ts';
import type { Node, Pod } from '../../shared/kube/types/core.ts';
import { killPods, printedLine, removeGroupsAndMounts } from '../support/agent/machines/agent-process.ts';
import { eventually } from '../support/clocks/eventually.ts';
import { freePort } from '../support/servers/free-port.ts';
import { type HostProcess, rollcall, startHostProcess } from '../support/servers/host-process.ts';
import { startRelayProcess } from '../support/servers/relay-process.ts';
import { watchArguments } from '../support/shell/argument-watch.ts';

const PATIENCE_MS = 60_000;
const folder = mkdtempSync(join(tmpdir(), 'rollcall-arguments-'));
const state = join(folder, 'host');
const root = join(folder, 'root');
const PASSWORD = `open-sesame-${process.pid}`;

/** A shell with `rollcall` in its path that runs a line as a user does who pastes it. The line itself is nobody's argument. */
const shell = (line: string) => {
  const PATH = `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`;
  const child = spawn('sh', [], { env: { ...process.env, PATH }, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  child.stdin.end(`${line}\n`);
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { output: () => output, ended, end: () => child.kill('SIGTERM') };
};

const tokenOf = (line: string): string => /'([^']+)'/.exec(line)?.[1] ?? '';

describe('the arguments of programs', () => {
  const watch = watchArguments();
  let host: HostProcess;
  let line: string;
  let agent: ReturnType<typeof shell>;
  const seen = <T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> =>
    eventually(what, PATIENCE_MS, look, { seen: () => agent.output() });

  beforeAll(async () => {
    mkdirSync(join(folder, 'bin'));
    const program = join(folder, 'bin', 'rollcall');
    writeFileSync(
      program,
      `#!/bin/sh\nexec ${quoted(process.execPath)} ${quoted(resolve('cli/rollcall.js'))} "$@"\n`,
    );
    chmodSync(program, 0o755);
    writeFileSync(join(folder, 'kubelet.yaml'), `podLogsDir: ${join(folder, 'logs')}\n`);
    host = await startHostProcess(state);
    line = await printedLine(state);
    const own = `--root-dir ${root} --hostname-override m1 --config ${join(folder, 'kubelet.yaml')}`;
    agent = shell(`${line} ${own}`);
  });

  afterAll(async () => {
    await host.send('DELETE', '/api/v1/nodes/m1');
    await agent.ended;
    await killPods(root);
    await removeGroupsAndMounts(root);
    await host.stop();
    watch.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are seen here if they have a secret', async () => {
    const weak = watchArguments();
    const secret = `secret-${process.pid}`;
    weak.add(secret);
    const leak = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)', secret], { stdio: 'ignore' });
    await eventually('the secret is seen', PATIENCE_MS, async () => weak.found().length > 0);
    leak.kill('SIGKILL');
    weak.stop();
  });

  it('have no token when a machine joins by the printed line, also not the one that it gets', async () => {
    const { token } = await seen(
      'the token',
      async () => JSON.parse(readFileSync(join(root, 'token.json'), 'utf8')) as { readonly token: string },
    );
    for (const secret of [tokenOf(line), token, host.adminToken]) watch.add(secret);
    await seen('the node is ready', async () => {
      const { status } = await host.get<Node>('/api/v1/nodes/m1');
      return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
    });
    expect(watch.found()).toEqual([]);
  });

  it('have no Secret of a pod that runs, and that is probed', async () => {
    watch.add(PASSWORD);
    watch.add(Buffer.from(PASSWORD).toString('base64'));
    const namespace = '/api/v1/namespaces/default';
    await host.send('POST', `${namespace}/secrets`, {
      metadata: { name: 's' },
      stringData: { password: PASSWORD },
    });
    await host.send('POST', `${namespace}/pods`, {
      metadata: { name: 'p' },
      spec: {
        nodeName: 'm1',
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'c',
            image: 'host',
            command: ['sh', '-c', 'test -n "$PASSWORD" && exec sleep 1000'],
            env: [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 's', key: 'password' } } }],
            readinessProbe: { exec: { command: ['sh', '-c', 'test -n "$PASSWORD"'] }, periodSeconds: 1 },
          },
        ],
      },
    });
    await seen('the pod is ready', async () => {
      const { status } = await host.get<Pod>(`${namespace}/pods/p`);
      return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
    });
    expect(watch.found()).toEqual([]);
  });

  it('have no token when a service is installed by that line', async () => {
    // It reads the token, and then refuses this setting, so that no service comes to be.
    const { ended, output } = shell(
      `${line.replace(' agent run ', ' agent install ')} --root-dir ${join(folder, 'other')} --cloud-provider aws`,
    );
    expect(await ended, output()).toBe(2);
    expect(output()).toContain('write external');
    expect(watch.found()).toEqual([]);
  });

  it('have no token of a relay', async () => {
    const tokenFile = join(folder, 'relay.token');
    const { output: token } = await rollcall('token', '--relay', 'site-a', '--folder', state);
    watch.add(token.trim());
    writeFileSync(tokenFile, token, { mode: 0o600 });
    const own = { folder: join(folder, 'relay'), tokenFile, port: await freePort() };
    const relay = await startRelayProcess({ name: 'site-a', url: host.url, hostFolder: state, ...own });
    expect(await relay.end('SIGTERM')).not.toBeNull();
    expect(watch.found()).toEqual([]);
  });

  it('have no link of the dashboard that counts once, also not those of the browser', async () => {
    const opened = join(folder, 'opened');
    const browser = join(folder, 'bin', 'xdg-open');
    // It lives as long as a browser takes to start.
    writeFileSync(
      browser,
      `#!/bin/sh\nprintf '%s' "$*" > '${opened}.new' && mv '${opened}.new' '${opened}'\nsleep 2\n`,
    );
    chmodSync(browser, 0o755);
    const dashboard = shell(`exec rollcall dashboard --folder ${state} --no-beats --open`);
    const token = await eventually(
      'a link',
      PATIENCE_MS,
      async () => /http:\S+token=(\S+)/.exec(dashboard.output())?.[1],
    );
    watch.add(token);
    await eventually('the browser', PATIENCE_MS, async () => existsSync(opened));
    await wait(1_000);
    dashboard.end();
    await dashboard.ended;
    expect(watch.found()).toEqual([]);
  });

  it('that have a token are refused, with what to do', async () => {
    const { code, output } = await rollcall('agent', 'run', '--server', host.url, '--token', 'not-a-token');
    expect([code, output]).toEqual([2, expect.stringContaining('--bootstrap-token-file -')]);
    expect(watch.programs()).toBeGreaterThan(5);
  });
});
