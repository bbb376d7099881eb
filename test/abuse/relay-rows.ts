/** What strangers do to a relay in front of the host. The machines that it knows are answered meanwhile, and its memory stays bounded. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { GROUP_RELAYS, RELAY_USER_PREFIX } from '../../shared/kube/types/well-known.ts';
import { freePort } from '../support/servers/free-port.ts';
import { type RelayProcess, startRelayProcess } from '../support/servers/relay-process.ts';
import { type Client, createClient, type Sent } from './client.ts';
import { close, head, onRaw } from './raw.ts';
import { type Abusing, must, type Row, statusesOf, times, unexpected } from './row.ts';

const MACHINES = 10;
const BEAT_MS = 500;
/** Until the machines are on the roster, and the relay answers them itself. */
const JOINED_MS = 3_000;
/** Resident memory that the relay may ever have had: an idle one has 100 MB, and bodies and answers 64 MB each. */
const MOST_MB = 500;

const json = { 'content-type': 'application/json' };
const beatPath = (node: string): string => `/apis/rollcall.dev/v1/nodes/${node}/heartbeat`;

interface Machine {
  readonly name: string;
  readonly token: string;
}

const aMachine = async ({ host, client }: Abusing, name: string): Promise<Machine> => {
  const as = { method: 'POST', token: host.adminToken, headers: json };
  await client.send({ ...as, path: '/api/v1/nodes', body: JSON.stringify({ metadata: { name } }) });
  const { text } = await client.send({
    ...as,
    path: `/apis/rollcall.dev/v1/nodes/${name}/token`,
    body: '{}',
  });
  return { name, token: (JSON.parse(text) as { status: { token: string } }).status.token };
};

const beatOf = ({ name, token }: Machine): Sent => ({ method: 'POST', path: beatPath(name), token });

/** Beats of all machines until it is stopped: the codes of their answers. */
const startBeating = (client: Client, machines: readonly Machine[]) => {
  let isOver = false;
  const seen: number[] = [];
  const loops = machines.map(async (machine) => {
    while (!isOver) {
      seen.push((await client.send(beatOf(machine))).status);
      await wait(BEAT_MS);
    }
  });
  return {
    take: (): readonly number[] => seen.splice(0),
    stop: async (): Promise<void> => {
      isOver = true;
      await Promise.all(loops);
    },
  };
};

const highestMb = ({ pid }: RelayProcess): number =>
  Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

const startRelay = async ({ host }: Abusing, folder: string, port: number): Promise<RelayProcess> => {
  const tokenFile = join(folder, 'token');
  writeFileSync(join(folder, 'ca.crt'), host.ca);
  writeFileSync(tokenFile, await host.tokenFor(`${RELAY_USER_PREFIX}abused`, GROUP_RELAYS));
  return startRelayProcess({
    name: 'abused',
    url: host.url.origin,
    hostFolder: folder,
    folder: join(folder, 'relay'),
    tokenFile,
    port,
  });
};

/** Does it to a relay with ten machines that beat, and says what is wrong with their beats and its memory. */
const onRelay = async (
  abusing: Abusing,
  abuse: (client: Client) => Promise<readonly string[]>,
): Promise<readonly string[]> => {
  const [folder, port] = [mkdtempSync(join(tmpdir(), 'rollcall-abuse-relay-')), await freePort()];
  const machines = await Promise.all(times(MACHINES, (index) => aMachine(abusing, `relayed-${index}`)));
  const relay = await startRelay(abusing, folder, port);
  const to = {
    url: new URL(`https://127.0.0.1:${port}`),
    ca: readFileSync(join(folder, 'relay', 'ca.crt'), 'utf8'),
  };
  const [good, bad] = [createClient(to), createClient(to)];
  const beating = startBeating(good, machines);
  try {
    await wait(JOINED_MS);
    const before = beating.take();
    const wrong = await abuse(bad);
    const during = beating.take();
    const mb = highestMb(relay);
    return [
      ...wrong,
      ...unexpected(before, [200]),
      ...unexpected(during, [200]),
      ...must(during.length > 0, 'no beat was answered'),
      ...must(mb <= MOST_MB, `the relay took ${mb.toFixed(0)} MB`),
    ];
  } finally {
    await beating.stop();
    for (const client of [good, bad]) client.close();
    await relay.end('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
};

/** A token of a node that nobody has signed. */
const forged = (index: number): string => {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { sub: `system:node:x${index}`, node_uid: `u${index}`, exp: 4_000_000_000, iat: index };
  return `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}.${'A'.repeat(43)}`;
};

/** More bodies than the relay has places for requests of strangers, and some heads. */
const HALF_SENT = 2_600;
const DRIP_MS = 1_000;
const DRIPPING_MS = 6_000;

/** A byte now and then, so that the request is waited for. */
const drip = (socket: TLSSocket): void => {
  const timer = setInterval(() => socket.write('x'), DRIP_MS);
  socket.once('close', () => clearInterval(timer));
};

export const RELAY_ROWS: readonly Row[] = [
  {
    name: 'requests to a relay that are half sent, and drip',
    abuse: (abusing) =>
      onRelay(abusing, async (client) => {
        const sockets = await onRaw(client, HALF_SENT, (socket, index) => {
          const headers = { authorization: `Bearer ${forged(index)}`, 'content-length': '1000' };
          const text = head('POST', beatPath(`x${index}`), headers);
          socket.write(index % 10 === 0 ? text : `${text}\r\n`);
          drip(socket);
        });
        await wait(DRIPPING_MS);
        close(sockets);
        return [];
      }),
  },
  {
    name: 'ten thousand tokens that a relay does not know',
    abuse: (abusing) =>
      onRelay(abusing, async (client) => {
        const answers = await client.sendAll(
          times(10_000, (index) => beatOf({ name: `x${index}`, token: forged(index) })),
        );
        return unexpected(statusesOf(answers), [401, 429]);
      }),
  },
  {
    name: 'bodies for a relay that are huge',
    abuse: (abusing) =>
      onRelay(abusing, async (client) => {
        const large = Buffer.alloc(2_900_000, ' ');
        const post = { method: 'POST', path: beatPath('x1'), token: forged(1), headers: json };
        const answers = await client.sendAll(
          times(60, () => ({ ...post, body: large })),
          60,
        );
        const sockets = await onRaw(client, 60, (socket, index) => {
          const endless =
            index % 2 === 0 ? { 'transfer-encoding': 'chunked' } : { 'content-length': '900000000' };
          socket.write(`${head('POST', beatPath('x2'), { ...json, ...endless })}\r\n`);
          for (let piece = 0; piece < 20; piece += 1) {
            if (index % 2 === 0) socket.write(`${large.byteLength.toString(16)}\r\n`);
            socket.write(large);
            if (index % 2 === 0) socket.write('\r\n');
          }
        });
        await wait(4_000);
        close(sockets);
        // A server that does not read on may break the connection before its answer is read; 400: a busy client sent no byte for 5 s.
        return unexpected(statusesOf(answers), [0, 400, 401, 413, 429]);
      }),
  },
];
