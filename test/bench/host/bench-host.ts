/** A host process of the bench, on a folder with a stored fleet. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiClient, expectOk } from '../../../shared/client/api-client.ts';
import { spawnHost } from '../../chaos/host.ts';

/** The figure that counts nodes whose Ready became Unknown. */
export const FLIPS = 'node_collector_node_flips_total';

export interface BenchHost {
  readonly folder: string;
  /** Milliseconds from the start of the process until it was ready. */
  readonly readyMs: number;
  /** A figure of `/metrics`, summed over its labels. */
  metric(name: string): Promise<number>;
  kill(): Promise<void>;
}

const sumOf = (metrics: string, name: string): number =>
  metrics
    .split('\n')
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);

export const startBenchHost = async (folder: string, ...args: readonly string[]): Promise<BenchHost> => {
  const startedAt = performance.now();
  const host = spawnHost(folder, args);
  await host.ready();
  const readyMs = performance.now() - startedAt;
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const { url } = JSON.parse(read('host.json')) as { readonly url: string };
  const client = createApiClient(url, read('ca.crt'));
  const token = read('admin.token').trim();
  return {
    folder,
    readyMs,
    metric: async (name) => sumOf(await expectOk<string>(client.call('GET', '/metrics', token)), name),
    kill: () => {
      client.close();
      return host.kill();
    },
  };
};

/** A folder of the work's own, removed afterwards. */
export const inHostFolder = async <T>(work: (folder: string) => Promise<T>): Promise<T> => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
