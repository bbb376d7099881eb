import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRelayWorld, type Machine } from '../../support/servers/relay-world.ts';

const SECOND = 1_000;

const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ does: fc.constant('beat' as const), machine: fc.nat(2), by: fc.nat(1) }),
    },
    {
      weight: 6,
      arbitrary: fc.record({ does: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 15_000 }) }),
    },
    { weight: 2, arbitrary: fc.record({ does: fc.constant('restart' as const), by: fc.nat(1) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        does: fc.constant('fault' as const),
        fault: fc.constantFrom('none' as const, 'lost' as const, 'answerLost' as const, 'busy' as const),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ does: fc.constant('clock' as const), ms: fc.integer({ min: -9e6, max: 9e6 }) }),
    },
  ),
  { minLength: 10, maxLength: 120 },
);

const NAMES = ['site-a', 'site-b'] as const;

type World = ReturnType<typeof createRelayWorld>;
type Relay = Awaited<ReturnType<World['startRelay']>>;
type Step = typeof steps extends fc.Arbitrary<(infer S)[]> ? S : never;

/** Two relays and three machines, with what is true of each machine. */
interface Play {
  readonly world: World;
  readonly relays: Relay[];
  readonly machines: readonly Machine[];
  readonly beatenAt: number[];
  readonly heardAt: number[];
}

const beginPlay = async (): Promise<Play> => {
  const world = createRelayWorld();
  const relays = await Promise.all(NAMES.map((name) => world.startRelay(name)));
  const machines: Machine[] = [];
  for (const name of ['m0', 'm1', 'm2']) machines.push(await world.machine(name));
  return { world, relays, machines, beatenAt: [0, 0, 0], heardAt: [0, 0, 0] };
};

const look = async ({ world, machines, beatenAt, heardAt }: Play): Promise<void> => {
  for (const [index, machine] of machines.entries()) {
    const at = await world.heardAt(machine);
    expect(at).toBeLessThanOrEqual(beatenAt[index] ?? 0);
    expect(at).toBeGreaterThanOrEqual(heardAt[index] ?? 0);
    heardAt[index] = at;
  }
};

const beat = async (
  { world, relays, machines, beatenAt }: Play,
  index: number,
  by: number,
): Promise<void> => {
  const [relay, machine] = [relays[by], machines[index]];
  if (!relay || !machine) return;
  beatenAt[index] = world.now();
  await world.beat(relay, machine);
};

const take = async (play: Play, step: Step): Promise<void> => {
  const { world, relays } = play;
  if (step.does === 'beat') await beat(play, step.machine, step.by);
  if (step.does === 'fault') world.setFault(step.fault);
  if (step.does === 'clock') world.setClock(step.ms);
  if (step.does === 'restart') relays[step.by] = await world.startRelay(NAMES[step.by] ?? 'site-a');
  if (step.does === 'wait') world.advance(step.ms);
  for (const relay of relays) await relay.sender.tick();
  await look(play);
};

describe('two relays of three machines, with faults of the uplink, restarts and wrong clocks', () => {
  it('never say that a machine was heard later than it was, or earlier than they said before (J-163, J-164)', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const play = await beginPlay();
        for (const step of given) await take(play, step);
        // When everything works again, the last beat of each machine is known.
        play.world.setFault('none');
        for (const index of play.machines.keys()) await beat(play, index, 0);
        for (let half = 0; half < 24; half += 1) await take(play, { does: 'wait', ms: SECOND / 2 });
        expect(play.heardAt).toEqual(play.beatenAt);
      }),
      { numRuns: 60 },
    );
  });
});
