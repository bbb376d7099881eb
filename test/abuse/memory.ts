import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from './client.ts';
import type { AbusedHost } from './host.ts';

export interface Settled {
  readonly rssMb: number;
  /** Heap and buffers that are left after a collection. */
  readonly keptMb: number;
  /** Characters of `/metrics`. */
  readonly metrics: number;
}

const MEGABYTE = 1_048_576;
const COLLECTIONS = 3;
const REST_MS = 700;

const figureOf = (text: string, name: string): number =>
  Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);

/** What the host keeps when nobody asks for anything but beats. */
export const settle = async (host: AbusedHost, client: Client): Promise<Settled> => {
  for (let collection = 0; collection < COLLECTIONS; collection += 1) {
    await wait(REST_MS);
    await host.ask('collect');
  }
  await wait(REST_MS);
  const { text } = await client.send({ path: '/metrics', token: host.adminToken });
  const kept = figureOf(text, 'nodejs_heap_size_used_bytes') + figureOf(text, 'nodejs_external_memory_bytes');
  return {
    rssMb: figureOf(text, 'process_resident_memory_bytes') / MEGABYTE,
    keptMb: kept / MEGABYTE,
    metrics: text.length,
  };
};
