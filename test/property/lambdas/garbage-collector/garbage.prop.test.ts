// The garbage collector under races, crashes, lost messages and lost answers: it deletes nothing that somebody owns, leaves what was
// to be left, and at quiet nothing is waiting or dangling.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chance } from '../../../../shared/adapters/hostile/chance.ts';
import { BAD_DAY } from '../../../../shared/adapters/hostile/process.ts';
import type { ApiObject, OwnerReference } from '../../../../shared/kube/types/meta.ts';
import { type LiveRow, liveRow, type ObjectKey, type RowCheck } from '../../../../shared/ports/store/rows.ts';
import { collected, freed } from '../../../../shared/rules/owners/collect.ts';
import {
  isDeletingDependents,
  isOrphaningDependents,
  ownerState,
  withoutFinalizer,
} from '../../../../shared/rules/owners/garbage.ts';
import { placeOfOwner } from '../../../../shared/rules/owners/stored-kinds.ts';
import type { Committed, ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { oneOf } from '../../../support/faults/one-of.ts';
import { createBadDay, unexplained } from '../../../support/planes/bad-day.ts';

const NAMES = 8;
const ACTORS = 5;
const OPERATIONS = 14;
const HOLD = 'example.com/hold';
const NAMESPACES = ['default', 'default', 'other'];
const POLICIES = ['Background', 'Background', 'Foreground', 'Orphan'] as const;

const anyKey = (chance: Chance): ObjectKey => {
  const name = `o${Math.floor(chance.upTo(NAMES))}`;
  if (chance.hit(0.15)) return { resource: 'persistentvolumes', namespace: '', name };
  return { resource: 'configmaps', namespace: oneOf(chance, NAMESPACES), name };
};

const kindOf = ({ resource }: ObjectKey): string =>
  resource === 'configmaps' ? 'ConfigMap' : 'PersistentVolume';

interface World {
  readonly plane: ControlPlane;
  readonly chance: Chance;
  /** Uids of objects that clients deleted. */
  readonly byClients: Set<string>;
  made: number;
}

interface Owners {
  readonly references: readonly OwnerReference[];
  /** The owners are as they were read, so nobody names one that is being deleted. */
  readonly rows: readonly RowCheck[];
}

/** One owner for an object; some are not there. */
const someOwner = async ({ plane, chance }: World, own: ObjectKey): Promise<Owners> => {
  const key = anyKey(chance);
  const named = { apiVersion: 'v1', kind: kindOf(key), name: key.name };
  const flags = chance.hit(0.6) ? { blockOwnerDeletion: true } : {};
  if (chance.hit(0.1))
    return { references: [{ ...named, uid: `never-${chance.next()}`, ...flags }], rows: [] };
  const row = liveRow(await plane.state.objects.read(key));
  const isSame = key.resource === own.resource && key.namespace === own.namespace && key.name === own.name;
  if (!row || isSame || row.object.metadata.deletionTimestamp !== undefined)
    return { references: [], rows: [] };
  return { references: [{ ...named, uid: row.uid, ...flags }], rows: [{ key, revision: row.revision }] };
};

const someOwners = async (world: World, key: ObjectKey): Promise<Owners> => {
  const all = [await someOwner(world, key), ...(world.chance.hit(0.4) ? [await someOwner(world, key)] : [])];
  const rows = new Map(all.flatMap((one) => one.rows).map((row) => [JSON.stringify(row.key), row]));
  return { references: all.flatMap((one) => one.references), rows: [...rows.values()] };
};

const withOwners = (object: ApiObject, { references }: Owners): ApiObject => {
  const { ownerReferences: _before, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: { ...metadata, ...(references.length > 0 ? { ownerReferences: references } : {}) },
  };
};

/** Creates an object, or gives it other owners. */
const put = async (world: World): Promise<void> => {
  const key = anyKey(world.chance);
  const owners = await someOwners(world, key);
  const isHeld = world.chance.hit(0.15);
  world.made += 1;
  const uid = `uid-${world.made}`;
  await world.plane.writer.write(key, (found) => {
    const object = liveRow(found)?.object;
    if (object?.metadata.deletionTimestamp !== undefined) return undefined;
    const { resource: _resource, ...named } = key;
    const made: ApiObject = {
      apiVersion: 'v1',
      kind: kindOf(key),
      metadata: { ...named, uid, ...(isHeld ? { finalizers: [HOLD] } : {}) },
    };
    return { next: withOwners(object ?? made, owners), writer: 'client', rows: owners.rows };
  });
};

const remove = async ({ plane, chance, byClients }: World): Promise<void> => {
  const key = anyKey(chance);
  const policy = oneOf(chance, POLICIES);
  await plane.writer.write(key, (found, now) => {
    const row = liveRow(found);
    if (!row || row.object.metadata.deletionTimestamp !== undefined) return undefined;
    const next = collected(key.resource, row.object, policy, now);
    byClients.add(row.uid);
    return next && { ...next, writer: 'client' };
  });
};

const letGo = async ({ plane }: World, key: ObjectKey): Promise<void> => {
  await plane.writer.write(key, (found) => {
    const object = liveRow(found)?.object;
    if (!object?.metadata.finalizers?.includes(HOLD)) return undefined;
    const next = withoutFinalizer(object, HOLD);
    if (object.metadata.deletionTimestamp === undefined) return { next, writer: 'client' };
    return { ...freed(key.resource, next), writer: 'client' };
  });
};

const actor = async (world: World): Promise<void> => {
  const { plane, chance } = world;
  for (let done = 0; done < OPERATIONS; done += 1) {
    await plane.clock.sleep(chance.upTo(3_000));
    if (chance.hit(0.65)) await put(world);
    else if (chance.hit(0.8)) await remove(world);
    else await letGo(world, anyKey(chance));
  }
};

const allRows = async ({ state }: ControlPlane): Promise<readonly LiveRow[]> => {
  const pages = await Promise.all(
    ['configmaps', 'persistentvolumes'].map((resource) => state.objects.page({ resource, namespace: '' })),
  );
  return pages.flatMap(({ rows }) => rows);
};

const pathOf = ({ resource, namespace, name }: ObjectKey): string => `${resource}/${namespace}/${name}`;

/** Replays the commits, and judges each deletion that no client asked for by the objects at that moment. */
const faultsOf = (commits: readonly Committed[], byClients: ReadonlySet<string>) => {
  const objects = new Map<string, ApiObject>();
  const orphaned = new Map<string, ReadonlySet<string>>();
  const faults: string[] = [];
  let deletions = 0;

  const judge = (path: string, { key, object, uid }: LiveRow): void => {
    deletions += 1;
    for (const owner of object.metadata.ownerReferences ?? []) {
      const place = placeOfOwner(owner, key.namespace);
      const found = place && objects.get(pathOf(place));
      if (!place || ownerState(found, owner.uid) === 'solid')
        faults.push(`${path} was owned by ${owner.name}`);
      if (place && orphaned.get(`${pathOf(place)}/${owner.uid}`)?.has(uid))
        faults.push(`${path} was to be left by ${owner.name}`);
    }
    if ((object.metadata.ownerReferences ?? []).length === 0) faults.push(`${path} had no owner`);
  };

  const namesakes = (uid: string): ReadonlySet<string> =>
    new Set(
      [...objects.values()]
        .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid))
        .map(({ metadata }) => metadata.uid ?? ''),
    );

  const isGoing = (row: LiveRow | undefined): boolean => row?.object.metadata.deletionTimestamp !== undefined;

  const see = ({ change }: Committed): void => {
    const { key } = change.after ?? change.before ?? { key: { resource: '', namespace: '', name: '' } };
    if (!['configmaps', 'persistentvolumes'].includes(key.resource)) return;
    const [path, before, after] = [pathOf(key), liveRow(change.before), liveRow(change.after)];
    const hasBegun = before && !isGoing(before) && (!after || isGoing(after));
    if (before && hasBegun && !byClients.has(before.uid)) judge(path, before);
    if (after) objects.set(path, after.object);
    else objects.delete(path);
    if (hasBegun && after && isOrphaningDependents(after.object))
      orphaned.set(`${path}/${after.uid}`, namesakes(after.uid));
  };
  for (const commit of commits) see(commit);
  return { faults, deletions };
};

const expectQuiet = async (plane: ControlPlane): Promise<void> => {
  const rows = await allRows(plane);
  const objects = new Map(rows.map(({ key, object }) => [pathOf(key), object]));
  for (const { key, object } of rows) {
    expect(isDeletingDependents(object) || isOrphaningDependents(object), pathOf(key)).toBe(false);
    for (const owner of object.metadata.ownerReferences ?? []) {
      const place = placeOfOwner(owner, key.namespace);
      if (place) expect(ownerState(objects.get(pathOf(place)), owner.uid), pathOf(key)).toBe('solid');
    }
  }
};

describe('the garbage collector with faults', () => {
  it('deletes only what nobody owns, and at quiet all of it (K-34, K-35, K-38, K-39, K-41)', async () => {
    let total = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const day = createBadDay(seed, BAD_DAY);
        const { plane } = day;
        const world: World = { plane, chance: day.chance.fork(), byClients: new Set(), made: 0 };
        const acting = Promise.all(Array.from({ length: ACTORS }, () => actor(world)));
        await plane.run(60_000);
        await acting;
        day.calm();
        for (const { key } of await allRows(plane)) await letGo(world, key);
        await plane.run(4 * 3_600_000);
        const { faults, deletions } = faultsOf(plane.commits, world.byClients);
        expect(faults).toEqual([]);
        await expectQuiet(plane);
        expect(unexplained(plane.failures)).toEqual([]);
        total += deletions;
      }),
      { numRuns: 40 },
    );
    // The runs meet what they are about.
    expect(total).toBeGreaterThan(50);
  });
});
