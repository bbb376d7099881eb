import { describe, expect, it } from 'vitest';
import { createCommitGroup, createGroupCommit, MOST_TOGETHER } from '../../../../host/folder/group-commit.ts';
import type { Commit, HeartbeatEffect } from '../../../../shared/ports/store/commit.ts';
import { nodeKey } from '../../../../shared/ports/store/rows.ts';
import { aCommit, EXPIRES_AT, T0 } from '../../../support/stores/builders.ts';

const adopt = (node: string): HeartbeatEffect => ({ effect: 'adopt', node, uid: 'u', expiresAt: EXPIRES_AT });
const retire = (node: string): HeartbeatEffect => ({
  effect: 'retire',
  node,
  version: 1,
  expiresAt: EXPIRES_AT,
});
const beat = (node: string): HeartbeatEffect => ({
  effect: 'beat',
  node,
  uid: 'u',
  beat: { at: T0, times: {} },
  expiresAt: EXPIRES_AT,
});
const unmoved = (node: string): HeartbeatEffect => ({ effect: 'unmoved', node, observedAt: undefined });

let revision = 0;
const commitOf = (name: string, heartbeat?: HeartbeatEffect): Commit => {
  revision += 1;
  return aCommit({ key: nodeKey(name), revision, ...(heartbeat && { heartbeat }) });
};

describe('commits of one group', () => {
  it.each<[string, HeartbeatEffect | undefined, HeartbeatEffect | undefined, boolean]>([
    ['two without an effect', undefined, undefined, true],
    ['one with an effect, and one without', adopt('a'), undefined, true],
    ['births of two nodes', adopt('a'), adopt('b'), true],
    ['a birth and a deletion of two nodes', adopt('a'), retire('b'), true],
    ['looks at one node', unmoved('a'), unmoved('a'), true],
    ['looks at one node, and the birth of another', unmoved('a'), adopt('b'), true],
    ['a look at a node after its birth', adopt('a'), unmoved('a'), false],
    ['a look at a node after its heartbeat', beat('a'), unmoved('a'), false],
    ['a heartbeat after a look at the node', unmoved('a'), beat('a'), false],
    ['a birth after the deletion of the node', retire('a'), adopt('a'), false],
    ['two heartbeats of one node', beat('a'), beat('a'), false],
  ])('may be %s: the second joins, or not', (_what, first, second, joins) => {
    const group = createCommitGroup();
    expect(group.add(commitOf('a', first))).toBe(true);
    expect(group.add(commitOf('a', second))).toBe(joins);
  });
});

describe('group commit', () => {
  const start = () => {
    const groups: (readonly Commit[])[] = [];
    const ways = createGroupCommit((commits) => {
      groups.push(commits);
      return commits.map(() => ({ outcome: 'committed' }));
    });
    return { groups, ways };
  };
  const many = (count: number, name: string): readonly Commit[] =>
    Array.from({ length: count }, (_, place) => commitOf(`${name}${place}`));

  it('writes births with the Events that tell of them, and with commits of other ways', async () => {
    const { groups, ways } = start();
    const births = ['a', 'b', 'c'].map((name) => commitOf(name, adopt(name)));
    const [event, flip] = [commitOf('event'), commitOf('d', unmoved('d'))];
    await Promise.all([...births.map(ways.urgent), ways.patient(event), ways.monitor(flip)]);
    expect(groups).toEqual([[...births, flip, event]]);
  });

  it('gives each way its share of a group, and then what others leave', async () => {
    const { groups, ways } = start();
    const all = [...many(300, 'u').map(ways.urgent), ...many(10, 'm').map(ways.monitor)];
    await Promise.all(all);
    expect(groups.map((group) => group.length)).toEqual([MOST_TOGETHER, MOST_TOGETHER, 54]);
    expect(groups[0]?.filter(({ key }) => key.name.startsWith('m'))).toHaveLength(10);
  });

  it('keeps the order of a way: what may not join a group waits, and what comes after it, too', async () => {
    const { groups, ways } = start();
    const [birth, death, next] = [commitOf('a', adopt('a')), commitOf('a', retire('a')), commitOf('b')];
    const other = commitOf('c');
    await Promise.all([ways.urgent(birth), ways.urgent(death), ways.urgent(next), ways.patient(other)]);
    expect(groups).toEqual([
      [birth, other],
      [death, next],
    ]);
  });

  it('tries the commits of a group that fails one by one, so that one of them fails alone', async () => {
    const bad = commitOf('bad');
    const { urgent } = createGroupCommit((commits) => {
      if (commits.includes(bad)) throw new Error('not this one');
      return commits.map(() => ({ outcome: 'committed' }));
    });
    const [first, second] = await Promise.allSettled([urgent(commitOf('good')), urgent(bad)]);
    expect([first.status, second.status]).toEqual(['fulfilled', 'rejected']);
  });
});
