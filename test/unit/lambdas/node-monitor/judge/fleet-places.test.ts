import { describe, expect, it } from 'vitest';
import { createFleetPlaces } from '../../../../../lambdas/node-monitor/judge/fleet-places.ts';
import type { NodeHealthRow } from '../../../../../shared/rules/nodes/node-health.ts';
import type { RelayRoster } from '../../../../../shared/rules/relays/relay-items.ts';

const row = (name: string, uid = `${name}-0`): NodeHealthRow => ({
  name,
  uid,
  zone: '',
  createdAt: 0,
  excludeDisruption: false,
  clientReady: false,
  noExecute: [],
});

const rosterOf = (...names: readonly string[]): RelayRoster => ({
  revision: 1,
  entries: names.map((name) => ({ name, uid: `${name}-0`, untilAt: 0, since: 1 })),
});

const partOf = (roster: RelayRoster | undefined) => ({
  part: { relay: 'site', part: 0 },
  ...(roster ? { roster } : {}),
});

const NODES = [row('n1'), row('n2'), row('n3')];

describe('places of rosters among the nodes of a pass', () => {
  it.each([
    ['each entry has that of its Node', rosterOf('n3', 'n1'), [2, 0]],
    ['an entry whose Node is gone has none', rosterOf('n2', 'gone'), [1, -1]],
    ['a part without a roster has none', undefined, []],
  ] as const)('%s', async (_name, roster, places) => {
    const [found] = await createFleetPlaces().of(NODES, [partOf(roster)], undefined);
    expect([...(found?.places ?? [])]).toEqual(places);
  });

  it.each([
    ['while nodes and rosters are as they were', NODES, [2, 0], true],
    ['while all Nodes are the same, read anew', NODES.map((one) => ({ ...one })), [2, 0], true],
    ['not when a Node has come', [row('n0'), ...NODES], [3, 1], false],
    ['not when the last Node is gone', NODES.slice(0, 2), [-1, 0], false],
    ['not when a Node was made anew', [row('n1', 'n1-1'), ...NODES.slice(1)], [2, -1], false],
  ] as const)('are kept %s', async (_name, nodes, places, isKept) => {
    const fleetPlaces = createFleetPlaces();
    const part = partOf(rosterOf('n3', 'n1'));
    const [first] = await fleetPlaces.of(NODES, [part], undefined);
    const [second] = await fleetPlaces.of(nodes, [part], undefined);
    expect([...(second?.places ?? [])]).toEqual(places);
    expect(second?.places === first?.places).toBe(isKept);
  });

  it('are looked up again for a roster that was replaced', async () => {
    const fleetPlaces = createFleetPlaces();
    await fleetPlaces.of(NODES, [partOf(rosterOf('n3', 'n1'))], undefined);
    const [found] = await fleetPlaces.of(NODES, [partOf(rosterOf('n2'))], undefined);
    expect([...(found?.places ?? [])]).toEqual([1]);
  });

  it('are looked up in slices: nodes, and parts of relays (J-303)', async () => {
    let pauses = 0;
    const pause = async (): Promise<void> => {
      pauses += 1;
    };
    const nodes = Array.from({ length: 300 }, (_, index) => row(`n${index}`));
    const parts = nodes.map(({ name }) => partOf(rosterOf(name)));
    await createFleetPlaces().of(nodes, parts, pause);
    expect(pauses).toBe(4);
  });
});
