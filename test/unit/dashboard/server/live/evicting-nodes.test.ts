import { describe, expect, it } from 'vitest';
import { createEvictingNodes } from '../../../../../dashboard/server/live/evicting-nodes.ts';
import type { Node, Pod } from '../../../../../shared/kube/types/core.ts';

const START = Date.parse('2026-03-01T12:00:00Z');
const KEY = 'node.kubernetes.io/unreachable';

const evicting = (name: string, secondsAgo = 0, effect = 'NoExecute'): Node =>
  ({
    kind: 'Node',
    apiVersion: 'v1',
    metadata: { name },
    spec: { taints: [{ key: KEY, effect, timeAdded: new Date(START - secondsAgo * 1000).toISOString() }] },
  }) as Node;

const pod = (name: string, nodeName: string): Pod => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name, namespace: 'shop', uid: name },
  spec: { nodeName, tolerations: [{ key: KEY, operator: 'Exists', tolerationSeconds: 60 }] },
});

const create = () => {
  let now = START;
  const nodes = createEvictingNodes(() => now);
  return {
    nodes,
    pass: (ms: number): void => {
      now += ms;
    },
    takenNames: () => nodes.take().map(({ name }) => name),
  };
};

describe('nodes whose pods leave', () => {
  it('are those with a NoExecute taint, four at a time, the first tainted ones first', () => {
    const { nodes, takenNames } = create();
    nodes.put(evicting('no', 0, 'NoSchedule'));
    for (const [place, name] of ['a', 'b', 'c', 'd', 'e'].entries()) nodes.put(evicting(name, place));
    expect(nodes.size()).toBe(5);
    expect(takenNames()).toEqual(['e', 'd', 'c', 'b']);
    expect(takenNames()).toEqual([]);
  });

  it('are read again when something of their pods changes, at most once a second', () => {
    const { nodes, pass, takenNames } = create();
    nodes.put(evicting('a'));
    const [one] = nodes.take();
    if (!one) throw new Error('nothing taken');
    nodes.touch('a');
    nodes.wasRead(one, [pod('web', 'a')]);
    expect(
      nodes.kept().flatMap(({ evictions = [] }) => evictions.map(({ name, fireAt }) => [name, fireAt])),
    ).toEqual([['web', START + 60_000]]);
    expect(takenNames()).toEqual([]);
    pass(1_000);
    expect(takenNames()).toEqual(['a']);
    expect(takenNames()).toEqual([]);
  });

  it('keep what is known of them until they are read again, and are read again after a failure', () => {
    const { nodes, pass, takenNames } = create();
    nodes.put(evicting('a'));
    const [one] = nodes.take();
    if (!one) throw new Error('nothing taken');
    nodes.wasRead(one, undefined);
    expect(nodes.kept()).toEqual([]);
    pass(1_000);
    expect(takenNames()).toEqual(['a']);
  });

  it('show nothing of before a silence until they are read again', () => {
    const { nodes, pass, takenNames } = create();
    nodes.put(evicting('a'));
    const [one] = nodes.take();
    if (!one) throw new Error('nothing taken');
    nodes.wasRead(one, [pod('web', 'a')]);
    const before = nodes.version();
    nodes.outdated();
    expect([nodes.kept(), nodes.version() > before]).toEqual([[], true]);
    pass(1_000);
    expect(takenNames()).toEqual(['a']);
    nodes.wasRead(one, [pod('web', 'a')]);
    expect(nodes.kept().length).toBe(1);
  });

  it('are not read again if the Node changes in what does not matter', () => {
    const { nodes, takenNames } = create();
    nodes.put(evicting('a'));
    expect(takenNames()).toEqual(['a']);
    nodes.put({ ...evicting('a'), metadata: { name: 'a', labels: { new: 'label' } } });
    expect(takenNames()).toEqual([]);
    nodes.put(evicting('a', 5));
    expect(takenNames()).toEqual(['a']);
  });

  it('are forgotten with the taint, with the Node, and when they are not in the present state', () => {
    const { nodes } = create();
    const before = nodes.version();
    for (const name of ['a', 'b', 'c']) nodes.put(evicting(name));
    nodes.put({ ...evicting('a'), spec: {} });
    nodes.drop('b');
    nodes.keepOnly(() => false);
    expect(nodes.size()).toBe(0);
    expect(nodes.version()).toBeGreaterThan(before);
  });

  it('are no more than 200 with pods at a time; a known one is read nevertheless', () => {
    const { nodes, pass } = create();
    for (let count = 0; count < 250; count += 1) nodes.put(evicting(`n${count}`, 250 - count));
    for (let taken = nodes.take(); taken.length > 0; taken = nodes.take())
      for (const one of taken) nodes.wasRead(one, [pod(`p-${one.name}`, one.name)]);
    // The last ones were taken together.
    expect(nodes.kept().length).toBe(200);
    pass(1_000);
    nodes.touch('n3');
    expect(nodes.take().map(({ name }) => name)).toEqual(['n3']);
  });
});
