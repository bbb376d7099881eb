// What every ChangeFeed keeps to.
import { beforeEach, describe, expect, it } from 'vitest';
import type { ChangeFeed } from '../../../shared/ports/store/change-feed.ts';
import type { ObjectStore } from '../../../shared/ports/store/object-store.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { aTombstone, change, nodeFacts, podFacts, podKey, T0 } from '../../support/stores/builders.ts';

export interface LogWithFeed {
  readonly objects: ObjectStore;
  readonly feed: ChangeFeed;
}

const feedContract = (under: () => LogWithFeed): void => {
  const read = (after = 0, limit = 100) => under().feed.read(after, limit);
  const namesIn = (changes: Awaited<ReturnType<typeof read>>): readonly (string | undefined)[] =>
    changes.map(({ before, after }) => (after ?? before)?.key.name);

  it('is empty at first', async () => {
    expect(await read()).toEqual([]);
    expect(await under().feed.position()).toBe(0);
  });

  it('shows each row before and after its change', async () => {
    const { objects } = under();
    const facts = { node: nodeFacts({ ready: 'True', readyTransitionAt: T0 }) };
    const created = await change(objects, { key: nodeKey('n1'), uid: 'u1', facts });
    const updated = await change(objects, { key: nodeKey('n1'), uid: 'u1', expected: created.revision });
    const { revision } = updated;
    const deleted = await change(objects, {
      key: nodeKey('n1'),
      uid: 'u1',
      expected: revision,
      type: 'DELETED',
    });
    const row = { state: 'live', key: nodeKey('n1'), uid: 'u1' } as const;
    const first = { ...row, revision: created.revision, object: created.commit.entry.object, facts };
    const second = {
      ...row,
      revision,
      object: updated.commit.entry.object,
      facts: { node: nodeFacts() },
    };
    const marker = { state: 'marker', key: nodeKey('n1'), uid: 'u1', revision: deleted.revision } as const;
    const changes = await read();
    expect(changes.map(({ position: _position, ...rest }) => rest)).toEqual([
      { after: first },
      { before: first, after: second },
      { before: second, after: marker },
    ]);
  });

  it('shows the changes of every resource in the order of their commits', async () => {
    const { objects } = under();
    await change(objects, { key: nodeKey('n1') });
    await change(objects, { key: podKey('p1'), facts: { pod: podFacts({ nodeName: 'n1' }) } });
    await change(objects, { key: nodeKey('n2') });
    const changes = await read();
    expect(namesIn(changes)).toEqual(['n1', 'p1', 'n2']);
    const positions = changes.map(({ position }) => position);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    expect(positions[0]).toBeGreaterThan(0);
  });

  it('shows each change once, and nothing that was refused', async () => {
    const { objects } = under();
    const { commit, revision } = await change(objects, { key: nodeKey('n1') });
    await objects.commit(commit);
    await change(objects, { key: nodeKey('n1'), expected: revision - 1 });
    await objects.putTombstone('nodes', aTombstone(revision + 5));
    expect(namesIn(await read())).toEqual(['n1']);
  });

  it('is read in parts of at most the limit', async () => {
    for (const name of ['a', 'b', 'c']) await change(under().objects, { key: nodeKey(name) });
    const first = await read(0, 2);
    expect(namesIn(first)).toEqual(['a', 'b']);
    const rest = await read(first.at(-1)?.position, 2);
    expect(namesIn(rest)).toEqual(['c']);
    expect(await read(rest.at(-1)?.position)).toEqual([]);
  });

  it('continues after the acknowledged position, which never decreases', async () => {
    for (const name of ['a', 'b', 'c']) await change(under().objects, { key: nodeKey(name) });
    const [a, b] = await read();
    await under().feed.acknowledge(b?.position ?? 0);
    await under().feed.acknowledge(a?.position ?? 0);
    expect(await under().feed.position()).toBe(b?.position);
    expect(namesIn(await read(b?.position))).toEqual(['c']);
    const last = await read(b?.position);
    await under().feed.acknowledge(last[0]?.position ?? 0);
    await change(under().objects, { key: nodeKey('d') });
    expect(namesIn(await read(await under().feed.position()))).toEqual(['d']);
  });
};

export const changeFeedContract = (name: string, create: () => Promise<LogWithFeed>): void => {
  describe(`ChangeFeed: ${name}`, () => {
    let under: LogWithFeed;
    beforeEach(async () => {
      under = await create();
    });
    feedContract(() => under);
  });
};
