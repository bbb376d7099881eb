import { describe, expect, it } from 'vitest';
import { createChance } from '../../../../shared/adapters/hostile/chance.ts';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { DYNAMODB_LAG } from '../../../../shared/ports/store/object-store.ts';
import { CLOCK_SKEW_MS } from '../../../../shared/rules/zones/future-instants.ts';
import { inTurn, TURN_LEASE_MS, TurnLost } from '../../../../shared/store/turns/owner-turns.ts';
import { idsOf } from '../../../support/faults/chance-ids.ts';

const OWNER = 'owner-uid';

const world = () => {
  const clock = createVirtualClock();
  const { objects, ownerTurns } = createMemoryState();
  return { clock, objects, ownerTurns, ids: idsOf(createChance(1)) };
};

describe('inTurn', () => {
  it('looks once, and gives the turn back (W-31)', async () => {
    const deps = world();
    expect(await inTurn(deps, OWNER, async () => 'seen')).toEqual({
      outcome: 'done',
      results: ['seen'],
      isWanted: false,
    });
    expect(await inTurn(deps, OWNER, async () => 'again')).toMatchObject({ outcome: 'done' });
  });

  it('looks again for a run that came meanwhile, which says so once (W-34)', async () => {
    const deps = world();
    const others: unknown[] = [];
    const turn = await inTurn(deps, OWNER, async () => {
      if (others.length > 0) return 'seen again';
      others.push(await inTurn(deps, OWNER, async () => 'never'));
      others.push(await inTurn(deps, OWNER, async () => 'never'));
      return 'seen';
    });
    expect(turn).toEqual({ outcome: 'done', results: ['seen', 'seen again'], isWanted: false });
    const held = { outcome: 'held', afterMs: TURN_LEASE_MS + CLOCK_SKEW_MS };
    expect(others).toEqual([
      { ...held, isFirst: true },
      { ...held, isFirst: false },
    ]);
  });

  it('ends after some looks even if others go on asking, and says that it is wanted (W-36)', async () => {
    const deps = world();
    const turn = await inTurn(deps, OWNER, async () => {
      await inTurn(deps, OWNER, async () => 'never');
    });
    expect(turn).toEqual({
      outcome: 'done',
      results: [undefined, undefined, undefined, undefined],
      isWanted: true,
    });
    expect(await inTurn(deps, OWNER, async () => 'next')).toMatchObject({ outcome: 'done' });
  });

  it('leaves the turn to expire if a look fails, and its successor waits for the lag of reads (W-33, W-35)', async () => {
    const { objects, clock, ...more } = world();
    const deps = { ...more, clock, objects: { ...objects, lag: DYNAMODB_LAG } };
    await clock.run(
      (async () => {
        const failing = inTurn(deps, OWNER, () => Promise.reject(new Error('no answer')));
        await expect(failing).rejects.toThrow('no answer');
        expect(await inTurn(deps, OWNER, async () => 'never')).toMatchObject({ outcome: 'held' });
        await clock.sleep(TURN_LEASE_MS);
        const at = clock.now();
        expect(await inTurn(deps, OWNER, async () => clock.now() - at)).toMatchObject({
          results: [DYNAMODB_LAG.tableMs],
        });
      })(),
    );
  });

  it('a run that keeps its turn has it for as long as it works; one that does not loses it (W-31, W-33)', async () => {
    const { clock, ...more } = world();
    const deps = { clock, ...more };
    await clock.run(
      (async () => {
        await inTurn(deps, OWNER, async ({ keep }) => {
          for (let part = 0; part < 20; part += 1) {
            await clock.sleep(7_000);
            await keep();
            expect(await inTurn(deps, OWNER, async () => 'never')).toMatchObject({ outcome: 'held' });
          }
        });
        const slow = inTurn(deps, OWNER, async ({ keep }) => {
          await clock.sleep(TURN_LEASE_MS);
          await inTurn(deps, OWNER, async () => 'mine');
          await keep();
        });
        await expect(slow).rejects.toThrow(TurnLost);
      })(),
    );
  });
});
