/** What the client does with a control plane, task after task. Each leaves what the next one needs. */
import type { Connection } from '../fleet/connection.ts';
import { nodeName } from '../fleet/fleet.ts';
import { watchBinds } from './bind-watch.ts';
import type { Counts } from './counts.ts';
import { type Client, readNodes, untilUntainted } from './node-pages.ts';
import {
  leaseCreation,
  nodeCreation,
  nodeDeletion,
  PAGE,
  podCreation,
  podName,
  renewal,
  TABLE,
  untainting,
} from './objects.ts';

export interface World extends Client {
  readonly counts: Counts;
}

export interface Task {
  /** Before it is measured. */
  prepare(world: World): Promise<void>;
  /** Resolves with the latency (ms) of each request, or of what was waited for. */
  run(world: World): Promise<readonly number[]>;
}

/** All connections share the requests; each sends its next when it has its answer. */
const sendAll = async (
  { connections }: World,
  count: number,
  requestOf: (index: number) => Buffer,
): Promise<readonly number[]> => {
  const latencies: number[] = [];
  let next = 0;
  const work = async ({ send }: Connection): Promise<void> => {
    while (next < count) latencies.push(await send(requestOf(next++)));
  };
  await Promise.all(connections.map(work));
  return latencies;
};

/** `count` Nodes from one number on. */
const createNodes = (world: World, from: number, count: number): Promise<readonly number[]> =>
  sendAll(world, count, (index) => nodeCreation(nodeName(from + index), world.target.token));

/**
 * Removes the taint with which Nodes are created: no pod could be placed. Kubernetes' controller removes 20 a second, and what it has to do
 * would be counted to the next task.
 */
const untaint = async (world: World, count: number): Promise<void> => {
  await sendAll(world, count, (index) => untainting(nodeName(index), world.target.token));
  await untilUntainted(world);
};

const pods: Task = {
  prepare: async (world) => {
    await createNodes(world, 0, world.counts.nodesOfPods);
    await untaint(world, world.counts.nodesOfPods);
  },
  run: async (world) => {
    const { counts, target } = world;
    const binds = await watchBinds(target, counts.pods);
    const createdAt = new Map<string, number>();
    await sendAll(world, counts.pods, (index) => {
      createdAt.set(podName(index), performance.now());
      return podCreation(podName(index), target.token);
    });
    return [...(await binds())].map(([name, at]) => at - (createdAt.get(name) ?? at));
  },
};

const nodes: Task = {
  prepare: () => Promise.resolve(),
  run: (world) => createNodes(world, world.counts.nodesOfPods, world.counts.nodes),
};

const VERSION = /"resourceVersion":\s*"(\d+)"/;

const versionIn = (answer: string): string => VERSION.exec(answer)?.[1] ?? '';

/** A Lease that is renewed over one connection only, as each kubelet has its own. */
interface RenewedLease {
  readonly name: string;
  version: string;
}

const leases = new Map<Connection, RenewedLease[]>();

const renewals: Task = {
  prepare: async (world) => {
    const { connections, counts, target } = world;
    await untaint(world, counts.nodesOfPods + counts.nodes);
    const create = async (connection: Connection, place: number): Promise<void> => {
      const own: RenewedLease[] = [];
      leases.set(connection, own);
      for (let index = place; index < counts.leases; index += connections.length) {
        const name = nodeName(index);
        const answer = await connection.exchange(leaseCreation(name, target.token));
        own.push({ name, version: versionIn(answer) });
      }
    };
    await Promise.all(connections.map(create));
  },
  run: async ({ connections, counts, target }) => {
    const latencies: number[] = [];
    const rounds = counts.renewals / counts.leases;
    const work = async (connection: Connection): Promise<void> => {
      for (let round = 0; round < rounds; round += 1)
        for (const lease of leases.get(connection) ?? []) {
          const request = renewal(lease.name, lease.version, target.token);
          const startedAt = performance.now();
          const answer = await connection.exchange(request);
          latencies.push(performance.now() - startedAt);
          lease.version = versionIn(answer);
        }
    };
    await Promise.all(connections.map(work));
    return latencies;
  },
};

/** Calls `onPage` with each page of one Table. */
const readTable = async (world: World, onPage: (page: string, ms: number) => void): Promise<void> => {
  let left = world.counts.pages;
  await readNodes(world, TABLE, (page, ms) => {
    onPage(page, ms);
    left -= 1;
    return left > 0;
  });
};

const ROW = /"cells":/g;

const tables: Task = {
  prepare: async (world) => {
    const { pages, nodes: further, nodesOfPods } = world.counts;
    let rows = 0;
    await readTable(world, (page) => {
      rows += page.match(ROW)?.length ?? 0;
    });
    const wanted = Math.min(pages * PAGE, further + nodesOfPods);
    if (rows !== wanted) throw new Error(`the Table has ${rows} rows, not ${wanted}`);
  },
  run: async (world) => {
    const latencies: number[] = [];
    for (let count = 0; count < world.counts.tables; count += 1)
      await readTable(world, (_page, ms) => latencies.push(ms));
    return latencies;
  },
};

/** Last: what follows from them comes for a minute. */
const deletions: Task = {
  prepare: () => Promise.resolve(),
  run: (world) => {
    const { deletions: count, nodes: further, nodesOfPods } = world.counts;
    const from = nodesOfPods + further - count;
    return sendAll(world, count, (index) => nodeDeletion(nodeName(from + index), world.target.token));
  },
};

/** In the order in which a round runs them. */
export const TASKS = { pods, nodes, renewals, tables, deletions } as const satisfies Readonly<
  Record<string, Task>
>;

export type TaskName = keyof typeof TASKS;
