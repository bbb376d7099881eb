import { expect, it } from 'vitest';
import { nextSighting } from '../../../../shared/store/beats/relay-records.ts';
import { createWatching, toldOf } from '../../../support/watches/watching.ts';

const RELAYS = '/apis/rollcall.dev/v1/relays';

it('a watch of relays begins with those that passes have found, and shows what later ones find', async () => {
  const world = createWatching();
  const found = async (relay: string, nodes: number): Promise<void> => {
    const key = { topic: 'told', name: `relay/${relay}` } as const;
    const read = await world.control.sighting(key);
    const summary = { relay, state: read ? 'Silent' : 'Ready', parts: 1, nodes, zones: ['a'] } as const;
    await world.control.replaceSighting(key, read, nextSighting(summary, read, world.clock.now()));
  };
  await found('a', 1);
  const seen = await world.watch(`${RELAYS}?watch=1&timeoutSeconds=25`, async () => {
    await found('b', 1);
    await found('a', 1);
  });
  expect(toldOf(seen).toSorted()).toEqual(['ADDED a', 'ADDED b', 'MODIFIED a']);
});
