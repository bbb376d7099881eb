/** `rollcall relay` between a real host and machines that use the shell script, and a relay that is killed. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Node } from '../../../shared/kube/types/core.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { type HostProcess, rollcall, startHostProcess } from '../../support/servers/host-process.ts';
import { type RelayProcess, startRelayProcess } from '../../support/servers/relay-process.ts';
import { prepareBeatScript } from '../../support/shell/beat-script.ts';

let host: HostProcess;
let relay: RelayProcess;
let port: number;
let firstToken: string;
const script = prepareBeatScript(() => ({
  ROLLCALL_API: `https://127.0.0.1:${port}`,
  ROLLCALL_CACERT: join(relayFolder, 'ca.crt'),
  ROLLCALL_NODE: 'm1',
  ROLLCALL_CAPACITY: 'cpu=2,memory=1Gi,pods=3',
}));
const hostFolder = join(script.folder, 'host');
const relayFolder = join(script.folder, 'relay');
const tokenFile = join(script.folder, 'relay.token');

const startRelay = (): Promise<RelayProcess> =>
  startRelayProcess({
    name: 'site-a',
    url: host.url,
    port,
    tokenFile,
    hostFolder,
    folder: relayFolder,
  });

beforeAll(async () => {
  host = await startHostProcess(hostFolder);
  port = await freePort();
  firstToken = (await rollcall('token', '--relay', 'site-a', '--folder', hostFolder)).output.trim();
  writeFileSync(tokenFile, firstToken);
  const madeAt = Date.now();
  script.giveToken((await rollcall('token', '--bootstrap', '--folder', hostFolder)).output);
  script.hook('on-evict');
  // A token that is made in the same second for as long is the same token.
  await until('the second of the first token is over', () => Date.now() - madeAt >= 1_000);
  relay = await startRelay();
});

afterAll(async () => {
  await relay.end('SIGTERM');
  await host.stop();
  script.remove();
});

const node = (): Promise<Node> => host.get<Node>('/api/v1/nodes/m1');

const readyOf = async (): Promise<string | undefined> =>
  (await node()).status?.conditions?.find(({ type }) => type === 'Ready')?.status;

const until = (what: string, isSo: () => boolean | Promise<boolean>): Promise<boolean> =>
  script.until(what, 40_000, isSo);

/** How many requests of this kind the host has answered. */
const requestsOf = async (resource: string): Promise<number> => {
  const response = await host.get<string>('/metrics').catch((error: unknown) => String(error));
  const lines = String(response).split('\n');
  return lines
    .filter((line) => line.startsWith('apiserver_request_total') && line.includes(`resource="${resource}"`))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
};

it('a machine joins through the relay, becomes ready, and its beats come in batches', async () => {
  expect(await script.turn()).toEqual({ code: 0, said: '' });
  await until('the node is ready', async () => (await readyOf()) === 'True');
  await until('a batch has come', async () => (await requestsOf('heartbeats')) > 0);
  const straight = await requestsOf('nodes');
  for (let turns = 0; turns < 5; turns += 1) expect((await script.turn()).code).toBe(0);
  expect(await requestsOf('nodes')).toBeLessThanOrEqual(straight + 1);
});

it('the relay has renewed its token, and is listed', async () => {
  await until('the token was renewed', () => /the token of this relay was renewed/.test(relay.output()));
  expect(readFileSync(tokenFile, 'utf8').trim()).not.toBe(firstToken);
  expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
  const path = '/apis/rollcall.dev/v1/relays/site-a';
  await until('a pass has found it', () =>
    host.get(path).then(
      () => true,
      () => false,
    ),
  );
  expect(await host.get(path)).toMatchObject({
    kind: 'Relay',
    status: { state: 'Ready', nodes: 1, parts: 1 },
  });
  await expect(host.send('DELETE', path)).rejects.toThrow('stop it first');
});

it('work is announced through the relay', async () => {
  await host.send('POST', '/api/v1/namespaces/default/pods', {
    metadata: { name: 'web' },
    spec: { nodeName: 'm1', containers: [{ name: 'c', image: 'i' }] },
  });
  await host.send('DELETE', '/api/v1/namespaces/default/pods/web', { gracePeriodSeconds: 9 });
  await until('the hook was called', () =>
    script.calls().some((call) => call.startsWith('on-evict default web')),
  );
  await until('the pod is gone', async () => (await host.pods()).length === 0);
});

it('a relay that is killed and started anew costs no Ready', async () => {
  await relay.end('SIGKILL');
  relay = await startRelay();
  const since = (await node()).status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime;
  const startedAt = Date.now();
  await script.until('more than a grace period has passed', 70_000, () => Date.now() - startedAt > 45_000);
  const ready = (await node()).status?.conditions?.find(({ type }) => type === 'Ready');
  expect(ready).toMatchObject({ status: 'True', lastTransitionTime: since });
}, 90_000);

it('a machine whose relay is away beats to the address that stands in', async () => {
  await relay.end('SIGKILL');
  const authorities = join(script.folder, 'both.crt');
  const folders = [relayFolder, hostFolder];
  writeFileSync(authorities, folders.map((folder) => readFileSync(join(folder, 'ca.crt'), 'utf8')).join(''));
  const relayUrl = `https://127.0.0.1:${port}`;
  const env = { ROLLCALL_HEARTBEAT: `${relayUrl} ${host.url}`, ROLLCALL_CACERT: authorities };
  const straight = await requestsOf('nodes');
  expect(await script.turn(env)).toMatchObject({ code: 0 });
  expect(await script.turn(env)).toEqual({ code: 0, said: '' });
  expect(await requestsOf('nodes')).toBeGreaterThanOrEqual(straight + 2);
  relay = await startRelay();
});

it('stops in order', async () => {
  expect(await relay.end('SIGTERM')).toBe(0);
  expect(relay.output()).toContain('SIGTERM: stopping');
});
