// Namespaces that are deleted, and made again, under races, crashes, stalls, lost and doubled messages and lost answers: at quiet nothing
// is in a namespace that is gone, and nothing was taken from a namespace that lives.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chance } from '../../../../shared/adapters/hostile/chance.ts';
import { BAD_DAY, type FaultRates } from '../../../../shared/adapters/hostile/process.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import type { ObjectStore } from '../../../../shared/ports/store/object-store.ts';
import { type LiveRow, liveRow, namespaceKey, type ObjectKey } from '../../../../shared/ports/store/rows.ts';
import { collected } from '../../../../shared/rules/owners/collect.ts';
import { heldForContent } from '../../../../shared/rules/owners/namespace-holds.ts';
import { createObjectWriter } from '../../../../shared/store/writer/object-writer.ts';
import type { ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { ignoreFaults } from '../../../support/faults/ignore-faults.ts';
import { oneOf } from '../../../support/faults/one-of.ts';
import { createBadDay, unexplained } from '../../../support/planes/bad-day.ts';

const NAMES = ['ns1', 'ns2'];
const RESOURCES = ['configmaps', 'pods', 'secrets', 'events'];
const ACTORS = 24;
const CREATES = 16;
/** How often a creator stalls where it matters, and for how long at most (ms): longer than a deletion takes. */
const STALL = 0.3;
const STALL_MS = 15_000;
const LIVES = 3;

/** A look makes hundreds of calls: with more faults than this hardly one would reach its end while objects are made. */
const FAULTS: FaultRates = { ...BAD_DAY, crash: 0.001, stall: 0.003, throttle: 0.002, shortRead: 0.02 };

interface World {
  readonly plane: ControlPlane;
  readonly chance: Chance;
  /** Objects whose creation was acknowledged, with the uid of the namespace that was read before. */
  readonly made: { readonly key: ObjectKey; readonly uid: string; readonly life: string }[];
  count: number;
}

/** The store of a creator that stalls before and after it takes a number, and before it commits. */
const stalling = ({ plane, chance }: World, objects: ObjectStore): ObjectStore => {
  const stall = async (): Promise<void> => {
    if (chance.hit(STALL)) await plane.clock.sleep(chance.upTo(STALL_MS));
  };
  return {
    ...objects,
    takeRevisions: async (...given) => {
      await stall();
      const taken = await objects.takeRevisions(...given);
      await stall();
      return taken;
    },
    commit: async (commit) => {
      await stall();
      return objects.commit(commit);
    },
  };
};

/** Asks for the namespace as the API does, then creates an object, in a process of its own. */
const createOne = async (world: World): Promise<void> => {
  const { plane, chance, made } = world;
  const ports = plane.invoke();
  const objects = stalling(world, ports.objects);
  const writer = createObjectWriter({ ...ports, objects });
  const namespace = oneOf(chance, NAMES);
  world.count += 1;
  const key = { resource: oneOf(chance, RESOURCES), namespace, name: `o${world.count}` };
  const found = liveRow(await objects.read(namespaceKey(namespace)));
  if (!found || found.object.metadata.deletionTimestamp !== undefined) return;
  const uid = `uid-${world.count}`;
  const next: ApiObject = { apiVersion: 'v1', kind: 'X', metadata: { name: key.name, namespace, uid } };
  const withSpec = key.resource === 'pods' ? { ...next, spec: {} } : next;
  await writer.write(key, () => ({ next: withSpec, writer: 'client' }));
  made.push({ key, uid, life: found.uid });
};

const actor = async (world: World): Promise<void> => {
  for (let tries = 0; tries < CREATES; tries += 1) {
    await world.plane.clock.sleep(world.chance.upTo(8_000));
    await createOne(world).catch(ignoreFaults);
  }
};

const makeNamespace = async ({ plane }: World, name: string, uid: string): Promise<void> => {
  const next = heldForContent({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, uid } });
  await plane.writer.write(namespaceKey(name), (row) =>
    liveRow(row) ? undefined : { next, writer: 'client' },
  );
};

const markDeleted = ({ plane }: World, name: string) =>
  plane.writer.write(namespaceKey(name), (row, now) => {
    const found = liveRow(row);
    const next = found && collected('namespaces', found.object, 'Background', now);
    return next && { ...next, writer: 'client' };
  });

const isGone = async ({ plane }: World, name: string): Promise<boolean> =>
  liveRow(await plane.state.objects.read(namespaceKey(name))) === undefined;

/** Makes a namespace and deletes it, some times in a row; the last one stays for `ns1`. */
const lives = async (world: World, name: string): Promise<void> => {
  for (let life = 0; life < LIVES; life += 1) {
    await makeNamespace(world, name, `${name}-${life}`);
    if (name === 'ns1' && life === LIVES - 1) return;
    await world.plane.clock.sleep(2_000 + world.chance.upTo(15_000));
    await markDeleted(world, name);
    for (let waited = 0; waited < 600 && !(await isGone(world, name)); waited += 1)
      await world.plane.clock.sleep(1_000);
  }
};

const rowsIn = async ({ plane }: World, namespace: string): Promise<readonly LiveRow[]> => {
  const pages = await Promise.all(
    RESOURCES.map((resource) => plane.state.objects.page({ resource, namespace })),
  );
  return pages.flatMap(({ rows }) => rows);
};

const live = async (seed: number): Promise<void> => {
  const { plane, chance, calm } = createBadDay(seed, FAULTS);
  const world: World = { plane, chance, made: [], count: 0 };
  const done = Promise.all([
    ...NAMES.map((name) => lives(world, name)),
    ...Array.from({ length: ACTORS }, () => actor(world)),
  ]);
  await plane.run(240_000);
  calm();
  await plane.run(20 * 60_000);
  await plane.clock.run(done);

  expect(await isGone(world, 'ns2')).toBe(true);
  expect((await rowsIn(world, 'ns2')).map(({ key }) => key)).toEqual([]);

  const there = new Set((await rowsIn(world, 'ns1')).map(({ uid }) => uid));
  const ofLastLife = world.made.filter(({ life }) => life === `ns1-${LIVES - 1}`);
  expect(ofLastLife.filter(({ uid }) => !there.has(uid))).toEqual([]);
  expect(unexplained(plane.failures)).toEqual([]);
};

describe('namespaces on a bad day', () => {
  it('leave nothing behind, and take nothing from their successors (V-17, K-42, K-50, K-53)', async () => {
    await fc.assert(fc.asyncProperty(fc.integer(), live), { numRuns: 25 });
  }, 120_000);
});
