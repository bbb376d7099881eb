/** Informers of client-go, the library that controllers, schedulers and kubelets are made with. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../chaos/random.ts';
import { eventually } from '../support/clocks/eventually.ts';
import { type Cluster, startCluster } from './cluster.ts';
import {
  buildGoProgram,
  type GoProgram,
  hasGo,
  type ObjectOf,
  type Store,
  startGoProgram,
} from './go-program.ts';
import { createRandomChanges } from './random-changes.ts';

if (!hasGo()) process.stdout.write('skipped: client-go: this machine has no Go 1.21 or newer\n');

const PATHS = {
  nodes: '/api/v1/nodes',
  pods: '/api/v1/pods',
  leases: '/apis/coordination.k8s.io/v1/leases',
};

const keyOf = ({ metadata }: ObjectOf): string => `${metadata.namespace ?? ''}/${metadata.name}`;

/** Items of lists carry no kind; types of Go have none to compare. */
const comparable = (objects: readonly ObjectOf[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    objects
      .map((object) => [keyOf(object), { ...object, kind: undefined, apiVersion: undefined }] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

describe.skipIf(!hasGo())('client-go', () => {
  let cluster: Cluster;
  let path: string;
  beforeAll(async () => {
    cluster = await startCluster();
    path = await buildGoProgram(cluster.folder);
  }, 900_000);
  afterAll(() => cluster.stop());

  /** What the server lists now. */
  const listed = async (): Promise<Record<string, unknown>> => {
    const lists = Object.entries(PATHS).map(async ([name, at]) => {
      const { items } = await cluster.call<{ readonly items: readonly ObjectOf[] }>('GET', at);
      return [name, comparable(items)] as const;
    });
    return Object.fromEntries(await Promise.all(lists));
  };

  /** Waits until program and server say the same, and compares what they say if they never do. */
  const inSync = async (program: GoProgram): Promise<Store> => {
    const look = async () => {
      const [expected, store] = [await listed(), await program.ask<Store>('store')];
      const held = Object.fromEntries(
        Object.keys(PATHS).map((name) => [name, comparable(store.objects[name] ?? [])]),
      );
      return { store, expected, held };
    };
    const isEqual = ({ expected, held }: Awaited<ReturnType<typeof look>>): boolean => {
      try {
        expect(held).toEqual(expected);
        return true;
      } catch {
        return false;
      }
    };
    const found = await eventually('in sync', 30_000, async () => {
      const seen = await look();
      return isEqual(seen) ? seen.store : undefined;
    }).catch(() => undefined);
    if (found) return found;
    const { held, expected, store } = await look();
    expect(held).toEqual(expected);
    return store;
  };

  it.each([
    { start: 'a watch that begins with what is there', withWatchList: true, seed: 1 },
    { start: 'a list', withWatchList: false, seed: 2 },
  ])(
    'stays in sync through 1,000 changes and a killed host, starting with $start',
    {
      timeout: 180_000,
    },
    async ({ withWatchList, seed }) => {
      const changes = createRandomChanges(cluster.call, createRandom(seed), `seed-${seed}`);
      await changes.make(100);
      const program = startGoProgram(path, cluster.kubeconfig, withWatchList);
      await changes.make(500);
      const before = await inSync(program);
      expect(before.errors ?? []).toEqual([]);
      for (const name of Object.keys(PATHS))
        expect(before.requests).toMatchObject(
          withWatchList ? { [`WATCHLIST ${name}`]: 1 } : { [`LIST ${name}`]: 1 },
        );
      if (withWatchList)
        expect(Object.keys(before.requests).filter((each) => each.startsWith('LIST'))).toEqual([]);
      await cluster.restart();
      await changes.make(400);
      const after = await inSync(program);
      expect(after.drifted).toEqual([]);
      expect(Object.keys(after.objects['nodes'] ?? {}).length).toBeGreaterThan(3);
      await program.stop();
    },
  );

  it('writes in protobuf, and understands the answers', async () => {
    const program = startGoProgram(path, cluster.kubeconfig, true);
    const written = await program.ask('writes');
    const { requests } = await program.ask<Store>('store');
    await program.stop();
    expect(Object.keys(requests)).toEqual(
      expect.arrayContaining([
        'POST application/vnd.kubernetes.protobuf',
        'DELETE application/vnd.kubernetes.protobuf',
      ]),
    );
    expect(written).toMatchObject({
      node: {
        metadata: { labels: { 'made-by': 'client-go' }, uid: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      },
      status: { status: { conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }] } },
      lease: { spec: { leaseDurationSeconds: 40, renewTime: '2026-01-02T03:04:05.123456Z' } },
      renewed: { spec: { leaseDurationSeconds: 40, renewTime: '2026-01-02T03:04:06.500000Z' } },
      stale: 'Conflict',
      pod: { status: { phase: 'Pending' } },
      event: { metadata: { name: expect.stringMatching(/^client-go-writes\.[a-z0-9]+$/) }, count: 1 },
      evicted: true,
      notFound: true,
    });
  });
});
