import { describe, expect, it } from 'vitest';
import { createFleetItems } from '../../../../../lambdas/node-monitor/judge/fleet-items.ts';
import { NODE_LEASE_NAMESPACE } from '../../../../../shared/kube/types/well-known.ts';
import type { HeartbeatItem } from '../../../../../shared/ports/store/heartbeats.ts';
import type { NodeHealthRow } from '../../../../../shared/rules/nodes/node-health.ts';

const COUNT = 300;
const NAMES = Array.from({ length: COUNT }, (_, index) => `n${index}`);

const rowOf = (name: string): NodeHealthRow => ({
  name,
  uid: `uid of ${name}`,
  zone: 'z',
  createdAt: 0,
  excludeDisruption: false,
  clientReady: false,
  noExecute: [],
});

const itemOf = (name: string): HeartbeatItem => ({
  namespace: NODE_LEASE_NAMESPACE,
  name,
  uid: `uid of ${name}`,
});

const NODES = NAMES.map(rowOf);
const ITEMS = NAMES.map(itemOf);
/** In no order in which a node's item is near that of the node before. */
const MIXED = NAMES.map((_, index) => itemOf(NAMES[(index * 101) % COUNT] ?? ''));

const namesIn = (found: readonly (HeartbeatItem | undefined)[]) => found.map((item) => item?.name);

/** The same items, and how often somebody has asked for their names. */
const counted = (items: readonly HeartbeatItem[]) => {
  let asked = 0;
  const watched = items.map(({ name, ...rest }) => ({
    ...rest,
    get name() {
      asked += 1;
      return name;
    },
  }));
  return { watched, asked: () => asked };
};

describe('the items of the nodes of a pass', () => {
  it.each([
    ['in the order of the nodes', ITEMS],
    ['in another order', MIXED],
    ['with others in between', ITEMS.flatMap((item) => [{ ...item, namespace: 'default' }, item])],
  ])('are found %s', async (_, items) => {
    expect(namesIn(await createFleetItems().of(NODES, items, undefined))).toEqual(NAMES);
  });

  it('are found anew when items and nodes come and go, and a node without one has none', async () => {
    const { of } = createFleetItems();
    await of(NODES, MIXED, undefined);
    const fewer = MIXED.filter(({ name }) => name !== 'n7');
    expect(namesIn(await of(NODES, fewer, undefined))).toEqual(
      NAMES.map((name) => (name === 'n7' ? undefined : name)),
    );
    const others = [rowOf('new'), ...NODES.slice(5)];
    expect(namesIn(await of(others, [...fewer, itemOf('n7'), itemOf('new')], undefined))).toEqual([
      'new',
      ...NAMES.slice(5),
    ]);
    const retired = MIXED.map(({ uid: _uid, ...item }) => item);
    expect(namesIn(await of(NODES, retired, undefined))).toEqual(NAMES.map(() => undefined));
  });

  it('are asked for their names once, where they were in the last pass', async () => {
    const { of } = createFleetItems();
    await of(NODES, MIXED, undefined);
    const { watched, asked } = counted(MIXED);
    await of(NODES, watched, undefined);
    expect(asked()).toBe(COUNT);
  });
});
