import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createGroupCommit } from '../../../../host/folder/group-commit.ts';
import { createStandstill } from '../../../../host/folder/standstill.ts';
import { createTurns } from '../../../../host/folder/turns.ts';
import { createYieldingStores } from '../../../../host/folder/yielding-store.ts';
import { resync } from '../../../../lambdas/change-router/resync.ts';
import { runPass } from '../../../../lambdas/node-monitor/reconcile.ts';
import type { ObjectStore } from '../../../../shared/ports/store/object-store.ts';
import { type Loop, startLoop, stopAll } from '../../../../shared/serving/machine/loop.ts';
import { createObjectWriter } from '../../../../shared/store/writer/object-writer.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import { addNode } from '../../../support/planes/fleet.ts';

const NODES = 500;
/** More than any work of so many nodes takes. */
const TURNS = 2_000;

type Calls = { pages: number; reads: number; commits: number };

/** Silent nodes over stores that count, and a standstill that begins at the `at`th call of `what`. */
const silentFleet = async (what: keyof Calls, at: number) => {
  const plane = createMemoryControlPlane();
  for (let node = 0; node < NODES; node += 1) await plane.clock.run(addNode(plane, `n${node}`));
  plane.clock.advance(600_000);
  const standstill = createStandstill();
  const calls: Calls = { pages: 0, reads: 0, commits: 0 };
  const count = (one: keyof Calls): void => {
    calls[one] += 1;
    if (one === what && calls[one] === at) standstill.begin();
  };
  const deps = plane.invoke();
  const stored = deps.objects;
  const objects: ObjectStore = {
    ...stored,
    read: (key) => {
      count('reads');
      return stored.read(key);
    },
    async *nodeHealth() {
      for await (const { value, ...rest } of stored.nodeHealth())
        for (const row of value) {
          count('pages');
          yield { ...rest, value: [row] };
        }
    },
  };
  const commits = createGroupCommit((group) => {
    for (const _one of group) count('commits');
    return group.map(() => ({ outcome: 'conflict', reason: 'row' }) as never);
  });
  const turns = createTurns({ standstill });
  const views = createYieldingStores({ objects, commits, onCommit: () => undefined, turns, standstill });
  return { plane, deps, calls, views, turns, standstill };
};

/** Whether work has come to an end, or failed, after many turns of the event loop. */
const isOver = async (work: Promise<unknown>): Promise<boolean> => {
  let over = false;
  const end = (): void => {
    over = true;
  };
  work.then(end, end);
  for (let turns = 0; turns < TURNS && !over; turns += 1) await turn();
  return over;
};

it.each([
  ['pages', 3, { pages: 3, reads: 0, commits: 0 }],
  ['reads', 2, { pages: NODES, reads: 2, commits: 0 }],
] as const)(
  'a pass of the node monitor goes no further when work stands still at its %s',
  async (what, at, expected) => {
    const { plane, deps, calls, views, turns } = await silentFleet(what, at);
    const writer = createObjectWriter({ ...deps, objects: views.monitor });
    const pass = runPass({ ...deps, objects: views.monitor, writer, pause: turns.pause }, plane.clock.now());
    expect(await isOver(pass)).toBe(false);
    expect(calls).toEqual(expected);
  },
);

it('a resync of all nodes goes no further when work stands still', async () => {
  const { deps, calls, views } = await silentFleet('pages', 4);
  expect(await isOver(resync({ ...deps, objects: views.controllers }))).toBe(false);
  expect(calls.pages).toBe(4);
});

it('commits of controllers stand still, and those of requests do not', async () => {
  const { views, calls, standstill } = await silentFleet('commits', 1);
  const commit = { key: { resource: 'nodes', namespace: '', name: 'n' } } as never;
  standstill.begin();
  expect(await isOver(views.monitor.commit(commit))).toBe(false);
  expect(await isOver(views.controllers.commit(commit))).toBe(false);
  expect(await isOver(views.requests.commit(commit))).toBe(true);
  expect(calls.commits).toBe(1);
});

it('a commit that has begun is written, although work stands still before its turn', async () => {
  const { views, calls, standstill } = await silentFleet('reads', 1);
  const begun = views.monitor.commit({ key: { resource: 'nodes', namespace: '', name: 'n' } } as never);
  standstill.begin();
  expect(await isOver(begun)).toBe(true);
  expect(calls.commits).toBe(1);
});

it('loops stop together, without those whose runs do not end in time, and nothing is told of these', async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  const told: unknown[] = [];
  const begun: string[] = [];
  const loop = (name: string, work: () => Promise<void>): Loop =>
    startLoop({
      everyMs: 1,
      firstMs: 0,
      work: () => {
        begun.push(name);
        return work();
      },
      onError: (error) => told.push(error),
    });
  const loops = [loop('endless', () => promise), loop('short', async () => undefined)];
  while (begun.length < 3) await turn();
  await stopAll(loops, 1);
  const before = begun.length;
  reject(new Error('the files are closed'));
  expect(await isOver(promise)).toBe(true);
  for (let turns = 0; turns < TURNS; turns += 1) await turn();
  expect(begun).toHaveLength(before);
  expect(told).toEqual([]);
});
