import { describe, expect, it } from 'vitest';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import type { Commit, CommitOutcome } from '../../../../shared/ports/store/commit.ts';
import type { ObjectStore } from '../../../../shared/ports/store/object-store.ts';
import { liveRow } from '../../../../shared/ports/store/rows.ts';
import { createObjectWriter } from '../../../../shared/store/writer/object-writer.ts';

const KEY = { resource: 'configmaps', namespace: 'default', name: 'a' };
const NODE = { resource: 'nodes', namespace: '', name: 'n1' };

const objectOf = (kind: string, name: string): ApiObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, uid: 'u' },
});
const configMap = objectOf('ConfigMap', 'a');

type Answer = (commit: Commit, call: number) => Promise<CommitOutcome>;

/** A writer whose commits are answered by `answer`; `real` is the store below. */
const setUp = (answer: (real: ObjectStore, sleep: (ms: number) => Promise<void>) => Answer) => {
  const clock = createVirtualClock();
  const { objects, heartbeats } = createMemoryState();
  const commits = answer(objects, (ms) => clock.sleep(ms));
  const sent: Commit[] = [];
  const faulty: ObjectStore = {
    ...objects,
    commit: (commit) => {
      sent.push(commit);
      return commits(commit, sent.length);
    },
  };
  let ids = 0;
  const nextId = (): string => {
    ids += 1;
    return `id-${ids}`;
  };
  const writer = createObjectWriter({
    clock,
    ids: { uuid: nextId, random: () => 0.5 },
    objects: faulty,
    heartbeats,
  });
  const create = () => clock.run(writer.write(KEY, () => ({ next: configMap, writer: 'client' })));
  return { clock, objects, writer, create, sent };
};

const failing = async (outcome: 'objectConflict' | 'checkFailed'): Promise<CommitOutcome> => ({ outcome });

describe('a write', () => {
  it('that is committed returns the object at its revision (W-08)', async () => {
    const { create, sent } = setUp((objects) => (commit) => objects.commit(commit));
    const metadata = { resourceVersion: expect.any(String) };
    expect(await create()).toMatchObject({ outcome: 'written', object: { metadata } });
    expect(sent).toHaveLength(1);
  });

  it('that changes nothing takes no revision and sends nothing', async () => {
    const { clock, writer, create, sent } = setUp((objects) => (commit) => objects.commit(commit));
    await create();
    const again = writer.write(KEY, () => ({ next: configMap, writer: 'client' }));
    expect(await clock.run(again)).toMatchObject({ outcome: 'unchanged' });
    expect(sent).toHaveLength(1);
  });

  it('that finds another version is decided again, with another revision (W-09)', async () => {
    const { create, sent } = setUp(
      (objects) => (commit, call) => (call === 1 ? failing('objectConflict') : objects.commit(commit)),
    );
    expect(await create()).toMatchObject({ outcome: 'written' });
    const [first, second] = sent;
    expect(sent).toHaveLength(2);
    expect(second?.revision).toBeGreaterThan(first?.revision ?? Number.POSITIVE_INFINITY);
  });

  it.each([
    ['409 after many attempts', 0, 409],
    ['429 after few attempts', 1_500, 429],
  ])('with conflicts for four seconds ends with %s (W-09)', async (_, takesMs, code) => {
    const { clock, create } = setUp((_log, sleep) => async () => {
      await sleep(takesMs);
      return failing('objectConflict');
    });
    const startedAt = clock.now();
    await expect(create()).rejects.toMatchObject({ code });
    expect(clock.now() - startedAt).toBeGreaterThanOrEqual(4_000);
  });

  it('during which the machine slept for longer than that is tried again (W-09)', async () => {
    const { create, sent } = setUp((objects, sleep) => async (commit, call) => {
      if (call > 1) return objects.commit(commit);
      await sleep(12_000);
      return failing('objectConflict');
    });
    expect(await create()).toMatchObject({ outcome: 'written' });
    expect(sent).toHaveLength(2);
  });

  it('whose slot a reader has filled takes another revision (W-10)', async () => {
    const { create, sent } = setUp((objects) => async (commit, call) => {
      const { revision, entry } = commit;
      const tombstone = { slot: 'tombstone', revision, attempt: 'reader', at: entry.at } as const;
      if (call === 1) await objects.putTombstone(KEY.resource, tombstone);
      return objects.commit(commit);
    });
    expect(await create()).toMatchObject({ outcome: 'written' });
    expect(sent).toHaveLength(2);
  });

  it('whose check fails is returned to the caller (W-11)', async () => {
    const { create, sent } = setUp(() => () => failing('checkFailed'));
    expect(await create()).toEqual({ outcome: 'checkFailed' });
    expect(sent).toHaveLength(1);
  });

  it('that deletes a Node is repeated if a beat arrived in between (W-11)', async () => {
    const { clock, writer, sent } = setUp(
      (objects) => (commit, call) => (call === 2 ? failing('checkFailed') : objects.commit(commit)),
    );
    const write = (next: ApiObject | 'delete') =>
      clock.run(writer.write(NODE, () => ({ next, writer: 'client' })));
    await write(objectOf('Node', 'n1'));
    expect(await write('delete')).toMatchObject({ outcome: 'written' });
    expect(sent).toHaveLength(3);
  });
});

describe('owner edges of a write', () => {
  const owners = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'owner-uid', controller: true }];
  const owned: ApiObject = { ...configMap, metadata: { ...configMap.metadata, ownerReferences: owners } };
  const passing = () => setUp((objects) => (commit) => objects.commit(commit));

  it('are in the commits that add and remove references, and in no other (K-21, K-22, K-24)', async () => {
    const { clock, writer, create, sent } = passing();
    await create();
    const labelled = { ...owned, metadata: { ...owned.metadata, labels: { a: 'b' } } };
    for (const next of [owned, labelled, 'delete'] as const)
      await clock.run(writer.write(KEY, () => ({ next, writer: 'client' })));
    const edge = { owner: 'owner-uid', controller: true, blockOwnerDeletion: false };
    expect(sent.map(({ edges }) => edges)).toEqual([
      undefined,
      { puts: [edge], removes: [] },
      undefined,
      { puts: [], removes: ['owner-uid'] },
    ]);
  });

  it('come with the next write of an object that is older than edges, also one that changes nothing (K-26)', async () => {
    const { clock, objects, writer, sent } = passing();
    await clock.run(writer.write(KEY, () => ({ next: owned, writer: 'client' })));
    const [first] = sent;
    if (!first || first.next === 'marker') throw new Error('nothing was created');
    const { edges: _edges, ...older } = first;
    const { highest: revision } = await objects.takeRevisions(KEY.resource, 1, clock.now());
    const next = { ...first.next, facts: {} };
    const entry = { ...first.entry, revision, attempt: 'older' };
    await objects.commit({ ...older, revision, expected: first.revision, next, entry });
    const again = await clock.run(
      writer.write(KEY, (row) => row && { next: liveRow(row)?.object ?? 'delete', writer: 'controller' }),
    );
    expect(again.outcome).toBe('written');
    expect(sent.at(-1)?.edges?.puts).toHaveLength(1);
    const last = await clock.run(
      writer.write(KEY, (row) => row && { next: liveRow(row)?.object ?? 'delete', writer: 'controller' }),
    );
    expect(last.outcome).toBe('unchanged');
  });
});
