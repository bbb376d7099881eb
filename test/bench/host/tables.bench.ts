/** `kubectl get nodes` at a host with 5,000 nodes: the Table, page by page. */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Table } from '../../../shared/apiserver/answer/table.ts';
import type { Bench, Figure } from '../figures/figures.ts';
import { spread } from '../figures/statistics.ts';
import { inHostFolder, startBenchHost } from './bench-host.ts';
import { storeHostFleet } from './stored-fleet.ts';

const NODES = 5_000;
/** What kubectl asks for. */
const PAGE = 500;
const ACCEPT = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const WARM_UP = 2;
const RUNS = 5;

interface Page {
  readonly table: Table;
  readonly ms: number;
  readonly bytes: number;
}

type ReadPage = (token: string | undefined) => Promise<Page>;

const openReader = (folder: string): { readonly read: ReadPage; close(): void } => {
  const file = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const { url } = JSON.parse(file('host.json')) as { readonly url: string };
  const agent = new Agent({ ca: file('ca.crt'), keepAlive: true });
  const headers = { accept: ACCEPT, authorization: `Bearer ${file('admin.token').trim()}` };
  const get = (path: string): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      request(new URL(path, url), { agent, headers }, (response) => {
        buffer(response).then(resolve, reject);
      })
        .on('error', reject)
        .end();
    });
  const read: ReadPage = async (token) => {
    const startedAt = performance.now();
    const more = token === undefined ? '' : `&continue=${encodeURIComponent(token)}`;
    const body = await get(`/api/v1/nodes?limit=${PAGE}${more}`);
    const table = JSON.parse(body.toString()) as Table;
    return { table, ms: performance.now() - startedAt, bytes: body.byteLength };
  };
  return { read, close: () => agent.destroy() };
};

const readAll = async (read: ReadPage): Promise<readonly Page[]> => {
  const pages: Page[] = [];
  for (let token: string | undefined; pages.length === 0 || token !== undefined; ) {
    const page = await read(token);
    pages.push(page);
    token = page.table.metadata.continue;
  }
  const rows = pages.reduce((sum, { table }) => sum + table.rows.length, 0);
  if (rows !== NODES) throw new Error(`${rows} rows of ${NODES}`);
  return pages;
};

const figuresOf = (runs: readonly (readonly Page[])[]): readonly Figure[] => {
  const sums = runs.map((pages) => pages.reduce((sum, { ms }) => sum + ms, 0) / 1_000);
  const pages = runs.flat();
  const note = `${Math.round((pages[0]?.bytes ?? 0) / 1_024)} KB, not compressed`;
  return [
    {
      name: `Table of ${NODES} nodes by pages of ${PAGE}`,
      unit: 's',
      ...spread(sums),
      target: { atMost: 2 },
    },
    {
      name: `Table of ${PAGE} nodes of ${NODES}`,
      unit: 'ms',
      ...spread(pages.map(({ ms }) => ms)),
      target: { atMost: 100 },
      note,
    },
  ];
};

const measure = async (folder: string): Promise<readonly Figure[]> => {
  await storeHostFleet(join(folder, 'state'), { nodes: NODES, pods: 0 });
  const host = await startBenchHost(folder);
  const reader = openReader(folder);
  try {
    for (let run = 0; run < WARM_UP; run += 1) await readAll(reader.read);
    const runs: (readonly Page[])[] = [];
    for (let run = 0; run < RUNS; run += 1) runs.push(await readAll(reader.read));
    return figuresOf(runs);
  } finally {
    reader.close();
    await host.kill();
  }
};

export const hostTables: Bench = () => inHostFolder(measure);
