/** 200 machines behind a relay of the deployed stack: they live, lose their uplink, and are found again. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningRelay, startRelay } from '../../../relay/start.ts';
import { createSecretsClient } from '../../../shared/adapters/secrets/client.ts';
import { createSecretsManagerSigningKeys } from '../../../shared/adapters/secrets/signing-keys.ts';
import { systemClock as clock } from '../../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../../shared/adapters/system/id-source.ts';
import { issueToken } from '../../../shared/apiserver/access/authentication.ts';
import { type ApiClient, createApiClient } from '../../../shared/client/api-client.ts';
import type { Node } from '../../../shared/kube/types/core.ts';
import type { ApiList } from '../../../shared/kube/types/meta.ts';
import { GROUP_NODES, GROUP_RELAYS } from '../../../shared/kube/types/well-known.ts';
import { toTime } from '../../../shared/kube/values/time.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { relayedBeats } from '../../../shared/rules/relays/relayed-beats.ts';
import { createHostLog } from '../../../shared/serving/machine/host-log.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import { createObjectWriter } from '../../../shared/store/writer/object-writer.ts';
import { type CuttableLine, startCuttableLine } from '../../support/servers/cuttable-line.ts';
import { call, cliToken, must, output, profile } from '../support/deployment.ts';
import { heartbeats, stores } from '../support/inspection.ts';
import { eventually } from '../support/wait.ts';

const NODES = 200;
const DEAD = 5;
const LABEL = 'relay-site';
const HOUR_MS = 3_600_000;
const WITHIN_MS = 120_000;

interface Machine {
  readonly name: string;
  readonly uid: string;
  readonly token: string;
  beatenAt: number;
}

const admin = cliToken('--admin');
const folder = mkdtempSync(join(tmpdir(), 'rollcall-relay-'));
const figures: Record<string, unknown> = {};
const machines: Machine[] = [];
const dead = new Set<string>();
let line: CuttableLine;
let relay: RunningRelay;
let client: ApiClient;
let isBeating = false;
let beating: Promise<unknown>;

const signingKeys = createSecretsManagerSigningKeys({
  client: createSecretsClient(),
  secretArn: output('SigningKeySecretArn'),
  clock,
});

const sign = (name: string, group: string, nodeUid?: string): Promise<string> =>
  issueToken(
    { signingKeys, clusterId: output('TokenIssuer') },
    {
      name,
      groups: [group],
      issuedAt: Date.now(),
      expiresAt: Date.now() + HOUR_MS,
      ...(nodeUid === undefined ? {} : { nodeUid }),
    },
  );

const createMachine = async (name: string): Promise<Machine> => {
  const writer = createObjectWriter({ ...stores, clock, ids });
  const uid = ids.uuid();
  const metadata = { name, uid, creationTimestamp: toTime(Date.now()), labels: { [LABEL]: 'a' } };
  const next: Node = { apiVersion: 'v1', kind: 'Node', metadata };
  await writer.write(nodeKey(name), () => ({ next, writer: 'client' }));
  return { name, uid, token: await sign(`system:node:${name}`, GROUP_NODES, uid), beatenAt: 0 };
};

const beat = async (machine: Machine): Promise<number> => {
  const path = `/apis/rollcall.dev/v1/nodes/${machine.name}/heartbeat`;
  machine.beatenAt = Date.now();
  return (await client.call('POST', path, machine.token, {})).status;
};

/** Every machine that lives beats once per interval. */
const keepBeating = async (): Promise<void> => {
  while (isBeating) {
    const startedAt = Date.now();
    const living = machines.filter(({ name }) => !dead.has(name));
    await inParallel(living, 16, (machine) => beat(machine).catch(() => 0));
    await wait(Math.max(0, profile.beatMs - (Date.now() - startedAt)));
  }
};

const readyCounts = async (): Promise<Readonly<Record<string, number>>> => {
  const path = `/api/v1/nodes?labelSelector=${LABEL}`;
  const { items } = await must<ApiList<Node>>({ method: 'GET', path, token: admin });
  const counts: Record<string, number> = {};
  for (const { status } of items) {
    const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? 'none';
    counts[ready] = (counts[ready] ?? 0) + 1;
  }
  return counts;
};

const untilReady = async (what: string, wanted: Readonly<Record<string, number>>): Promise<void> => {
  let last: unknown;
  await eventually(
    what,
    WITHIN_MS,
    async () => {
      last = await readyCounts();
      return JSON.stringify(last) === JSON.stringify({ ...(last as object), ...wanted });
    },
    () => last,
  );
};

const parts = () => Promise.all([0, 1].map((part) => heartbeats.readRelay({ relay: 'site-a', part })));

beforeAll(async () => {
  const heartbeatUrl = new URL(output('HeartbeatUrl'));
  line = await startCuttableLine(Number(heartbeatUrl.port));
  heartbeatUrl.port = String(line.port);
  const token = await sign('system:relay:site-a', GROUP_RELAYS);
  relay = await startRelay({
    name: 'site-a',
    url: new URL(output('ApiUrl')),
    beats: heartbeatUrl,
    ca: undefined,
    token: { current: () => token, replace: async () => false },
    listen: '127.0.0.1',
    port: 0,
    names: [],
    folder,
    hostLog: createHostLog({ format: 'text', clock, write: () => undefined }),
  });
  client = createApiClient(`https://127.0.0.1:${relay.port}`, readFileSync(relay.caFile, 'utf8'));
  const names = Array.from({ length: NODES }, (_, index) => `relayed-${index}`);
  machines.push(...(await inParallel(names, 8, createMachine)));
}, 300_000);

afterAll(async () => {
  isBeating = false;
  await beating;
  client.close();
  await relay.stop();
  await line.close();
  rmSync(folder, { recursive: true });
  writeFileSync('test-results/integration/relay.json', JSON.stringify({ relay: figures }, undefined, 2));
  await inParallel(machines, 8, ({ name }) =>
    call({ method: 'DELETE', path: `/api/v1/nodes/${name}`, token: admin }),
  );
}, 300_000);

it('200 machines join, and are ready by two batches per interval', async () => {
  await inParallel(machines, 6, (machine) =>
    eventually(`${machine.name} joins`, WITHIN_MS, async () => (await beat(machine)) === 200),
  );
  isBeating = true;
  beating = keepBeating();
  await untilReady('all are ready', { True: NODES });
  const before = await parts();
  const startedAt = Date.now();
  await wait(10 * profile.beatMs);
  const after = await parts();
  const sequences = after.map(
    ({ beats }, part) => (beats?.sequence ?? 0) - (before[part]?.beats?.sequence ?? 0),
  );
  const seconds = (Date.now() - startedAt) / 1000;
  figures['batches'] = { sequences, seconds };
  expect(Math.max(...sequences)).toBeLessThanOrEqual(seconds / (profile.beatMs / 1000) + 2);
  expect(await readyCounts()).toEqual({ True: NODES });
}, 300_000);

it('an uplink that is away for less than the grace period costs no node its Ready', async () => {
  line.cut();
  await wait(profile.graceMs / 4);
  line.restore();
  await wait(profile.graceMs * 2);
  expect(await readyCounts()).toEqual({ True: NODES });
}, 300_000);

it('an uplink that was cut leaves the truth when it is back: who lived, and who died when', async () => {
  line.cut();
  await wait(profile.graceMs / 2);
  for (const { name } of machines.slice(0, DEAD)) dead.add(name);
  await untilReady('all are silent', { Unknown: NODES });
  line.restore();
  const restoredAt = Date.now();
  await untilReady('those that lived are ready', { True: NODES - DEAD, Unknown: DEAD });
  figures['readyAgainMs'] = Date.now() - restoredAt;
  const heard = relayedBeats(await parts(), Date.now());
  const errors = machines.slice(0, DEAD).map(({ name, uid, beatenAt }) => {
    const { plainAt = 0 } = heard.get(`${name}/${uid}`) ?? {};
    return Math.abs(plainAt - beatenAt);
  });
  figures['errorOfDeathsMs'] = errors;
  // A beat counts from when the relay answers it, and a batch from when it arrives: both take time on a busy machine.
  for (const error of errors) expect(error).toBeLessThan(profile.graceMs / 2);
}, 300_000);
