/** `examples/machine/beat.sh` with a real shell and a real curl against a real host. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Node } from '../../shared/api/core.ts';
import { eventually } from '../support/eventually.ts';
import { type HostProcess, rollcall, startHostProcess } from './host-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollcall-beat-'));
const [state, hooks, called] = ['state', 'hooks', 'called'].map((name) => join(folder, name)) as [
  string,
  string,
  string,
];
const hostFolder = join(folder, 'host');
let host: HostProcess;

const hook = (name: string, rest = ''): void => {
  const path = join(hooks, name);
  writeFileSync(path, `#!/bin/sh\necho ${name} "$@" >>${called}\n${rest}\n`);
  chmodSync(path, 0o755);
};
const calls = (): readonly string[] =>
  existsSync(called) ? readFileSync(called, 'utf8').trim().split('\n') : [];

beforeAll(async () => {
  host = await startHostProcess(hostFolder);
  const token = await rollcall('token', '--bootstrap', '--folder', hostFolder);
  writeFileSync(join(folder, 'bootstrap'), token.output);
  mkdirSync(hooks);
  for (const name of ['on-cordon', 'on-uncordon', 'on-lost', 'on-found']) hook(name);
  hook('on-evict', `[ -e ${join(folder, 'ready-to-go')} ]`);
});

afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** One turn of the script; resolves with its exit code and what it said. */
const turn = async (env: Readonly<Record<string, string>> = {}) => {
  const child = spawn('sh', [resolve('examples/machine/beat.sh')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      ROLLCALL_API: host.url,
      ROLLCALL_CACERT: join(hostFolder, 'ca.crt'),
      ROLLCALL_BOOTSTRAP_TOKEN: join(folder, 'bootstrap'),
      ROLLCALL_NODE: 'm1',
      ROLLCALL_LABELS: 'topology.kubernetes.io/zone=z1,rack=7',
      ROLLCALL_CAPACITY: 'cpu=2,memory=1Gi,pods=3',
      ROLLCALL_STATE: state,
      ROLLCALL_HOOKS: hooks,
      ...env,
    },
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = await once(child, 'exit');
  return { code: code as number, said };
};

const node = (): Promise<Node> => host.get<Node>('/api/v1/nodes/m1');
const until = (what: string, isSo: () => boolean | Promise<boolean>): Promise<boolean> =>
  eventually(what, 20_000, async () => {
    await turn();
    return (await isSo()) || undefined;
  });

it('says which setting is wrong', async () => {
  expect(await turn({ ROLLCALL_API: '' })).toMatchObject({
    said: expect.stringContaining('set ROLLCALL_API'),
  });
  expect(await turn({ ROLLCALL_NODE: 'M 1' })).toMatchObject({
    code: 1,
    said: expect.stringContaining('ROLLCALL_NODE'),
  });
  expect(await turn({ ROLLCALL_BOOTSTRAP_TOKEN: '/none' })).toMatchObject({
    code: 1,
    said: expect.stringContaining('ROLLCALL_BOOTSTRAP_TOKEN'),
  });
});

it('joins with a bootstrap token, becomes ready, and keeps its own token to itself', async () => {
  expect(await turn()).toEqual({ code: 0, said: '' });
  await until('the node is ready', async () =>
    ((await node()).status?.conditions ?? []).some(
      ({ type, status }) => type === 'Ready' && status === 'True',
    ),
  );
  expect(await node()).toMatchObject({
    metadata: { labels: { 'topology.kubernetes.io/zone': 'z1', rack: '7' } },
    status: { allocatable: { cpu: '2', memory: '1Gi', pods: '3' } },
  });
  expect(statSync(join(state, 'token')).mode & 0o777).toBe(0o600);
});

it('lets a deleted pod go when its hook has succeeded, and tells of cordons', async () => {
  await host.send('POST', '/api/v1/namespaces/default/pods', {
    metadata: { name: 'web' },
    spec: { nodeName: 'm1', containers: [{ name: 'c', image: 'i' }] },
  });
  const { metadata } = (await host.pods())[0] ?? { metadata: { uid: '' } };
  await host.send('POST', '/api/v1/nodes/m1/drain', { spec: { force: true, gracePeriodSeconds: 9 } });
  await until('the hooks ran', () => calls().length >= 2);
  expect(calls().slice(0, 2).toSorted()).toEqual(['on-cordon m1', `on-evict default web ${metadata.uid} 9`]);
  expect((await host.pods()).length).toBe(1);
  writeFileSync(join(folder, 'ready-to-go'), '');
  await until('the pod is gone', async () => (await host.pods()).length === 0);
  await host.send('PUT', '/api/v1/nodes/m1', { ...(await node()), spec: {} });
  await until('the uncordon was told', () => calls().includes('on-uncordon m1'));
  expect(calls().filter((call) => call === 'on-cordon m1').length).toBe(1);
});

it('tells once that it is lost when its beats fail for longer than the grace period, and that it is found', async () => {
  const away = { ROLLCALL_API: 'https://127.0.0.1:1' };
  expect((await turn(away)).code).toBe(1);
  expect(calls()).not.toContain('on-lost m1');
  writeFileSync(join(state, 'beat-at'), '1\n');
  await turn(away);
  await turn(away);
  await until('it is found', () => calls().includes('on-found m1'));
  expect(calls().filter((call) => call === 'on-lost m1').length).toBe(1);
});

it('renews its token at half its time, and leaves a deleted Node deleted', async () => {
  const token = (): string => readFileSync(join(state, 'token'), 'utf8');
  const before = token();
  writeFileSync(join(state, 'renewed-at'), '999999999999\n');
  expect(await turn()).toEqual({ code: 0, said: '' });
  expect(token()).not.toBe(before);
  await host.send('DELETE', '/api/v1/nodes/m1');
  expect(await turn()).toMatchObject({ code: 1, said: expect.stringContaining('to join again, remove') });
  expect(await turn()).toMatchObject({ code: 1 });
  rmSync(join(state, 'token'));
  expect(await turn()).toEqual({ code: 0, said: '' });
});
