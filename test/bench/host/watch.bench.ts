/** A host with watchers: how soon they are told of a write, and what they cost while nothing happens. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createApiClient, expectOk } from '../../../shared/client/api-client.ts';
import type { Bench, Figure } from '../figures/figures.ts';
import { quantile } from '../figures/statistics.ts';
import { type BenchHost, inHostFolder, startBenchHost } from './bench-host.ts';

const WATCHERS = 200;
const WRITES = 100;
const IDLE = 1_000;
/** Time enough for all watchers to be served, and for garbage to go. */
const BETWEEN_WRITES_MS = 100;
const SETTLE_MS = 5_000;
const MB = 2 ** 20;
const CPU = 'process_cpu_seconds_total';
const NODE = '/api/v1/nodes/watched';

const clientsOf = (folder: string) => {
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8').trim();
  const { url } = JSON.parse(read('host.json')) as { readonly url: string };
  const [ca, token] = [read('ca.crt'), read('admin.token')];
  const agent = new Agent({ ca, keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const headers = { authorization: `Bearer ${token}` };
  return {
    api: createApiClient(url, ca),
    token,
    /** Resolves when the headers are there. */
    watch: async (query: string): Promise<IncomingMessage> => {
      const sent = request(new URL(`/api/v1/nodes?watch=1&${query}`, url), { agent, headers }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      return response.setEncoding('utf8');
    },
    close: () => agent.destroy(),
  };
};

type Clients = ReturnType<typeof clientsOf>;

/** Many at a time, so that their handshakes do not queue for seconds. */
const openMany = async (
  clients: Clients,
  count: number,
  query: string,
): Promise<readonly IncomingMessage[]> => {
  const opened: IncomingMessage[] = [];
  while (opened.length < count)
    opened.push(...(await Promise.all(Array.from({ length: 50 }, () => clients.watch(query)))));
  return opened;
};

const versionOf = async ({ api, token }: Clients): Promise<string> => {
  const list = await expectOk<{ metadata: { resourceVersion: string } }>(
    api.call('GET', '/api/v1/nodes', token),
  );
  return list.metadata.resourceVersion;
};

/** Milliseconds from the sending of a write until each watcher has its event: the write itself is part of it. */
const latencies = async (clients: Clients): Promise<readonly number[]> => {
  const { api, token } = clients;
  await expectOk(api.call('POST', '/api/v1/nodes', token, { metadata: { name: 'watched' } }));
  const found: number[] = [];
  let sentAt = 0;
  const watches = await openMany(clients, WATCHERS, `resourceVersion=${await versionOf(clients)}`);
  for (const response of watches) response.on('data', () => found.push(performance.now() - sentAt));
  for (let write = 0; write < WRITES; write += 1) {
    sentAt = performance.now();
    await expectOk(api.call('PATCH', NODE, token, { metadata: { labels: { write: String(write) } } }));
    await wait(BETWEEN_WRITES_MS);
  }
  for (const response of watches) response.destroy();
  return found;
};

const memoryMb = async (host: BenchHost): Promise<number> => {
  await wait(SETTLE_MS);
  return (await host.metric('process_resident_memory_bytes')) / MB;
};

const idle = async (host: BenchHost, clients: Clients): Promise<Figure> => {
  const before = await memoryMb(host);
  const watches = await openMany(clients, IDLE, `resourceVersion=${await versionOf(clients)}`);
  const value = (await memoryMb(host)) - before;
  for (const response of watches) response.destroy();
  const note = `of the host, which had ${before.toFixed(0)} MB before`;
  return { name: `memory of ${IDLE} idle watches`, unit: 'MB', value, target: { atMost: 150 }, note };
};

const measure = async (folder: string): Promise<readonly Figure[]> => {
  const host = await startBenchHost(folder, '--controllers', 'none');
  const clients = clientsOf(folder);
  try {
    const memory = await idle(host, clients);
    const cpuBefore = await host.metric(CPU);
    const found = await latencies(clients);
    const cpu = (await host.metric(CPU)) - cpuBefore;
    const name = `a write until ${WATCHERS} watchers have it`;
    const note = `${found.length} of ${WATCHERS * WRITES} events; the client is on the same cores`;
    return [
      { name: `${name}, median`, unit: 'ms', value: quantile(found, 0.5) },
      { name: `${name}, p99`, unit: 'ms', value: quantile(found, 0.99), target: { atMost: 50 }, note },
      {
        name: 'processor for an event of one watcher',
        unit: 'µs',
        value: (cpu / found.length) * 1e6,
        note: 'of the host, with the handshakes and the writes',
      },
      memory,
    ];
  } finally {
    clients.close();
    clients.api.close();
    await host.kill();
  }
};

export const hostWatch: Bench = () => inHostFolder(measure);
