import { expect, it } from 'vitest';
import { resourceExpired } from '../../../../shared/kube/errors/status-error.ts';
import type { ObjectStore } from '../../../../shared/ports/store/object-store.ts';
import { nodeKey } from '../../../../shared/ports/store/rows.ts';
import { createFollower, type FollowedChange } from '../../../../shared/store/lists/follower.ts';
import { aNode } from '../../../support/objects/domain-objects.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';

const setUp = (change: (objects: ObjectStore) => ObjectStore = (objects) => objects) => {
  const plane = createMemoryControlPlane();
  const { state, clock, writer, invoke } = plane;
  const put = (name: string, labels = {}) =>
    writer.write(nodeKey(name), () => ({ next: aNode({ name, labels }), writer: 'client' }));
  const annotate = (name: string, note: string) =>
    writer.write(nodeKey(name), () => ({
      next: { ...aNode({ name }), metadata: { ...aNode({ name }).metadata, annotations: { note } } },
      writer: 'client',
    }));
  const remove = (name: string) => writer.write(nodeKey(name), () => ({ next: 'delete', writer: 'client' }));
  const deps = { ...invoke(), objects: change(state.objects) };
  const follower = createFollower(
    deps,
    'nodes',
    ({ kind, apiVersion, metadata: { name, uid = '', labels = {} } }) => ({
      kind,
      apiVersion,
      metadata: { name, uid, labels },
    }),
  );
  const changes = () => clock.run(follower.changes());
  return { put, annotate, remove, changes };
};

const shown = (changes: readonly FollowedChange[]) =>
  changes.map(({ before, after }) => [before?.metadata.labels, after?.metadata.labels]);

it('returns all objects as new, then only what has changed', async () => {
  const { put, remove, changes } = setUp();
  await put('n1');
  await put('n2');
  expect(shown(await changes())).toEqual([
    [undefined, {}],
    [undefined, {}],
  ]);
  expect(await changes()).toEqual([]);
  await put('n1', { a: '1' });
  await put('n1', { a: '2' });
  await remove('n2');
  expect(shown(await changes())).toEqual([
    [{}, { a: '1' }],
    [{ a: '1' }, { a: '2' }],
    [{}, undefined],
  ]);
});

it('does not tell of changes of what it does not keep', async () => {
  const { put, annotate, changes } = setUp();
  await put('n1');
  await changes();
  await annotate('n1', 'seen');
  expect(await changes()).toEqual([]);
  await put('n1', { a: '1' });
  expect(shown(await changes())).toEqual([[{}, { a: '1' }]]);
});

it('returns the net change when the history is gone', async () => {
  let isGone = false;
  const { put, remove, changes } = setUp((objects) => ({
    ...objects,
    slots: async (...range) => {
      if (!isGone) return objects.slots(...range);
      isGone = false;
      throw resourceExpired('too old');
    },
  }));
  for (const name of ['n1', 'n2', 'n3']) await put(name);
  await changes();
  await put('n1', { a: '1' });
  await remove('n2');
  await put('n4');
  isGone = true;
  const found = await changes();
  expect(shown(found)).toHaveLength(3);
  expect(shown(found)).toEqual(
    expect.arrayContaining([
      [{}, undefined],
      [{}, { a: '1' }],
      [undefined, {}],
    ]),
  );
  expect(await changes()).toEqual([]);
});

it('keeps the changes that it had read before a failure', async () => {
  let failsIn = Number.POSITIVE_INFINITY;
  const { put, changes } = setUp((objects) => ({
    ...objects,
    counter: async (resource) => {
      failsIn -= 1;
      if (failsIn === 0) throw new Error('throttled');
      return objects.counter(resource);
    },
  }));
  await put('n1');
  await changes();
  await put('n1', { a: '1' });
  failsIn = 2;
  await expect(changes()).rejects.toThrow('throttled');
  expect(shown(await changes())).toEqual([[{}, { a: '1' }]]);
});
