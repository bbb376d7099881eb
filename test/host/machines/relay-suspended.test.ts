/** A relay and its host that are stopped and go on later, and a relay that is killed in the middle of batches. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../../shared/client/api-client.ts';
import { eventually } from '../../support/clocks/eventually.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { type HostProcess, rollcall, startHostProcess } from '../../support/servers/host-process.ts';
import { type RelayProcess, startRelayProcess } from '../../support/servers/relay-process.ts';

const SECOND = 1_000;
const GRACE_MS = 20 * SECOND;
/** A quarter of the grace period. */
const BEAT_MS = 5 * SECOND;
const LONGER_THAN_GRACE_MS = 27 * SECOND;
const MACHINES = ['m1', 'm2', 'm3', 'm4', 'm5'];

const folder = mkdtempSync(join(tmpdir(), 'rollcall-relay-suspended-'));
const hostFolder = join(folder, 'host');
const relayFolder = join(folder, 'relay');
const tokenFile = join(folder, 'relay.token');
const tokens = new Map<string, string>();
const dead = new Set<string>();
let host: HostProcess;
let hostPid: number;
let relay: RelayProcess;
let port: number;
let client: ApiClient;
let isOver = false;
const loops: Promise<void>[] = [];

const passes = (what: string, ms: number): Promise<unknown> => {
  const from = performance.now();
  return eventually(what, 2 * ms + 10 * SECOND, async () => performance.now() - from >= ms || undefined);
};

const until = (what: string, isSo: () => Promise<boolean>): Promise<unknown> =>
  eventually(what, 90 * SECOND, async () => (await isSo()) || undefined);

/** Beats by its timer, whether or not the last beat was answered. */
const machine = async (name: string): Promise<void> => {
  const path = `/apis/rollcall.dev/v1/nodes/${name}/heartbeat`;
  const send = () => client.call('POST', path, tokens.get(name) ?? '', {}).catch(() => undefined);
  while (!isOver) {
    if (!dead.has(name)) void send();
    await passes('the next beat is due', BEAT_MS);
  }
};

interface Ready {
  readonly status: string | undefined;
  readonly since: string | undefined;
}

const readyOf = async (name: string): Promise<Ready> => {
  const node = (await host.nodes()).find(({ metadata }) => metadata.name === name);
  const ready = node?.status?.conditions?.find(({ type }) => type === 'Ready');
  return { status: ready?.status, since: ready?.lastTransitionTime };
};

const all = (): Promise<readonly Ready[]> => Promise.all(MACHINES.map(readyOf));

const allReady = async (): Promise<boolean> =>
  (await all()).every(({ status }, index) => status === 'True' || dead.has(MACHINES[index] ?? ''));

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
  const grace = ['--node-monitor-grace-period', `${GRACE_MS / SECOND}s`];
  host = await startHostProcess(hostFolder, ...grace);
  hostPid = (JSON.parse(readFileSync(join(hostFolder, 'host.json'), 'utf8')) as { readonly pid: number }).pid;
  port = await freePort();
  writeFileSync(tokenFile, (await rollcall('token', '--relay', 'site-a', '--folder', hostFolder)).output);
  relay = await startRelay();
  client = createApiClient(`https://127.0.0.1:${port}`, readFileSync(join(relayFolder, 'ca.crt'), 'utf8'));
  for (const name of MACHINES) {
    await host.send('POST', '/api/v1/nodes', { metadata: { name } });
    const issued = await host.send('POST', `/apis/rollcall.dev/v1/nodes/${name}/token`, {});
    tokens.set(name, (issued as { readonly status: { readonly token: string } }).status.token);
    loops.push(machine(name));
  }
  await until('all machines are ready', allReady);
}, 120_000);

afterAll(async () => {
  isOver = true;
  relay.resume();
  process.kill(hostPid, 'SIGCONT');
  await Promise.all(loops);
  client.close();
  await relay.end('SIGTERM');
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

it('a host that is suspended for longer than the grace period finds nobody silent who lives', async () => {
  const before = await all();
  process.kill(hostPid, 'SIGSTOP');
  await passes('longer than the grace period', LONGER_THAN_GRACE_MS);
  process.kill(hostPid, 'SIGCONT');
  await passes('the grace period after it', LONGER_THAN_GRACE_MS);
  expect(await all()).toEqual(before);
}, 180_000);

it('a relay that is killed in the middle of batches, again and again, costs no Ready', async () => {
  const before = await all();
  for (let kills = 0; kills < 4; kills += 1) {
    await passes('batches are sent', (kills % 3) * SECOND);
    await relay.end('SIGKILL');
    relay = await startRelay();
    await passes('the machines have beaten again', BEAT_MS + SECOND);
  }
  await passes('the grace period after it', LONGER_THAN_GRACE_MS);
  expect(await all()).toEqual(before);
}, 240_000);

it('a relay that is suspended for longer than the grace period brings nobody back who died meanwhile', async () => {
  relay.suspend();
  dead.add('m1');
  await until('its site is cut off', async () => (await all()).every(({ status }) => status === 'Unknown'));
  relay.resume();
  await until('those that lived are ready again', allReady);
  const died = await readyOf('m1');
  expect(died.status).toBe('Unknown');
  await passes('the grace period after it', LONGER_THAN_GRACE_MS);
  expect(await readyOf('m1')).toEqual(died);
  expect(await allReady()).toBe(true);
}, 240_000);
