import { beforeEach, describe, expect, it } from 'vitest';
import { createRelayWorld, type Machine } from '../../support/servers/relay-world.ts';

type World = ReturnType<typeof createRelayWorld>;
type Relay = Awaited<ReturnType<World['startRelay']>>;

const SECOND = 1_000;
/** Two parts. */
const MACHINES = 110;

let world: World;
let relay: Relay;
let machines: readonly Machine[];

beforeEach(async () => {
  world = createRelayWorld();
  relay = await world.startRelay('site-a');
  machines = await Promise.all(Array.from({ length: MACHINES }, (_, n) => world.machine(`n${n}`)));
});

/** Time goes on; the machines beat each ten seconds. Returns how many batches were sent. */
const live = async (seconds: number): Promise<number> => {
  world.sent.batches = 0;
  for (let half = 0; half < seconds * 2; half += 1) {
    if (half % 20 === 0) for (const machine of machines) await world.beat(relay, machine);
    world.advance(SECOND / 2);
    await relay.sender.tick();
  }
  return world.sent.batches;
};

const expectHeard = async (): Promise<void> => {
  for (const machine of machines)
    expect(await world.heardAt(machine)).toBeGreaterThanOrEqual(world.now() - 20 * SECOND);
  expect(world.warnings).toEqual([]);
};

describe('a relay and an API of different versions (J-328)', () => {
  it('an API that serves several parts in one batch gets them so', async () => {
    await live(30);
    expect(await live(60)).toBe(6);
    await expectHeard();
  });

  it('an API of an earlier version gets a batch for each part, and nothing that it refuses', async () => {
    world.setServesAll(false);
    await live(30);
    expect(await live(60)).toBe(12);
    await expectHeard();
  });

  it('an API that becomes newer gets them together from the next receipt on', async () => {
    world.setServesAll(false);
    await live(60);
    world.setServesAll(true);
    await live(20);
    expect(await live(60)).toBe(6);
    await expectHeard();
  });

  it('an API that becomes older again refuses one batch, and gets each part at once by itself', async () => {
    await live(60);
    world.setServesAll(false);
    expect(await live(10)).toBe(1 + 2);
    await expectHeard();
    expect(await live(60)).toBe(12);
    await expectHeard();
  });

  it('one that says now this and now that is told of all machines all the same', async () => {
    await live(30);
    for (let turn = 0; turn < 12; turn += 1) {
      world.setServesAll(turn % 2 === 0);
      await live(10);
      await expectHeard();
    }
  });
});
