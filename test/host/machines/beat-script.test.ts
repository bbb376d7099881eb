/** `examples/beat.sh` against a real host. */
import { once } from 'node:events';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Node } from '../../../shared/kube/types/core.ts';
import { type HostProcess, rollcall, startHostProcess } from '../../support/servers/host-process.ts';
import { prepareBeatScript } from '../../support/shell/beat-script.ts';

let host: HostProcess;
const script = prepareBeatScript(() => ({
  ROLLCALL_API: host.url,
  ROLLCALL_CACERT: join(hostFolder, 'ca.crt'),
  ROLLCALL_NODE: 'm1',
  ROLLCALL_LABELS: 'topology.kubernetes.io/zone=z1,rack=7',
  ROLLCALL_CAPACITY: 'cpu=2,memory=1Gi,pods=3',
}));
const { folder, state, turn, calls } = script;
const hostFolder = join(folder, 'host');

beforeAll(async () => {
  host = await startHostProcess(hostFolder);
  script.giveToken((await rollcall('token', '--bootstrap', '--folder', hostFolder)).output);
  for (const name of ['on-cordon', 'on-uncordon', 'on-lost', 'on-found']) script.hook(name);
  script.hook('on-evict', `[ -e ${join(folder, 'ready-to-go')} ]`);
});

afterAll(async () => {
  await host.stop();
  script.remove();
});

const node = (): Promise<Node> => host.get<Node>('/api/v1/nodes/m1');
const until = (what: string, isSo: () => boolean | Promise<boolean>): Promise<boolean> =>
  script.until(what, 20_000, isSo);

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

it('goes on to the next address where another server answers, and says so', async () => {
  const gone = createServer((_, response) => response.writeHead(403).end('{"Message":null}')).listen(
    0,
    '127.0.0.1',
  );
  await once(gone, 'listening');
  const url = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`;
  // The address that has answered before would have the first turn.
  const forget = () => rmSync(join(state, 'instead'), { force: true });
  try {
    forget();
    const said = `rollcall-beat: ${url} is no control plane: it answered 403\n`;
    expect(await turn({ ROLLCALL_HEARTBEAT: `${url} ${host.url}` })).toEqual({ code: 0, said });
    forget();
    const { code, said: alone } = await turn({ ROLLCALL_HEARTBEAT: url });
    expect([code, alone.startsWith(said)]).toEqual([1, true]);
    expect(alone).not.toContain('to join again');
  } finally {
    gone.close();
  }
});

it('repeats a heartbeat once that was not answered', async () => {
  let requests = 0;
  const busy = createServer((_, response) => {
    requests += 1;
    response.writeHead(503).end();
  }).listen(0, '127.0.0.1');
  await once(busy, 'listening');
  rmSync(join(state, 'instead'), { force: true });
  const { code } = await turn({
    ROLLCALL_HEARTBEAT: `http://127.0.0.1:${(busy.address() as AddressInfo).port}`,
  });
  busy.close();
  expect([code, requests]).toEqual([1, 2]);
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
