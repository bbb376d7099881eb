import { describe, expect, it } from 'vitest';
import type { ShutdownProgress } from '../../../../agent/rules/shutdown/shutting-down.ts';
import { createShutdownTeller } from '../../../../agent/shutdown/tell-shutdown.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';

/** A teller; `answers`: what the API does with each request, after a second. */
const setUp = (answers: readonly ('taken' | 'refused' | 'none')[] = []) => {
  const base = createVirtualClock(0);
  let wall = 0;
  const told: string[] = [];
  const left = [...answers];
  const answer = async (what: string): Promise<boolean> => {
    told.push(`${base.now() / 1000} ${what}`);
    await base.sleep(1_000);
    const next = left.shift() ?? 'taken';
    if (next === 'none') throw new Error('no answer');
    return next === 'taken';
  };
  let ids = 0;
  const teller = createShutdownTeller({
    api: {
      report: ({ id, phase, phases, phaseSeconds, remainingSeconds, totalSeconds }) =>
        answer(`${id} ${phase}/${phases} ${phaseSeconds}/${remainingSeconds}/${totalSeconds}`),
      end: () => answer('end'),
    },
    clock: { now: () => base.now() + wall, uptime: base.now, sleep: base.sleep },
    log: () => undefined,
    totalSeconds: 70,
    newId: () => `s${++ids}`,
  });
  const phase = (number: number, phaseSeconds: number, seconds: number): ShutdownProgress => ({
    phase: number,
    phases: 2,
    phaseEndsAt: base.now() + wall + phaseSeconds * 1000,
    endsAt: base.now() + wall + seconds * 1000,
  });
  return { clock: base, told, teller, phase, setClock: (ms: number) => (wall += ms) };
};

describe('what the agent tells of a shutdown', () => {
  it('is each phase with the seconds that are left', async () => {
    const { clock, told, teller, phase } = setUp();
    teller.tell(phase(1, 20, 30));
    await clock.run(clock.sleep(5_000));
    teller.tell(phase(2, 10, 10));
    await clock.run(clock.sleep(5_000));
    expect(told).toEqual(['0 s1 1/2 20/30/70', '5 s1 2/2 10/10/70']);
  });

  it('is told again without an answer, with fewer seconds, whatever the clock says', async () => {
    const { clock, told, teller, phase, setClock } = setUp(['none', 'none']);
    teller.tell(phase(1, 3, 30));
    setClock(3_600_000);
    await clock.run(clock.sleep(10_000));
    expect(told).toEqual(['0 s1 1/2 3/30/70', '2 s1 1/2 1/28/70', '4 s1 1/2 0/26/70']);
  });

  it('is only the last of what came meanwhile, and a refusal is the end of it', async () => {
    const { clock, told, teller, phase } = setUp(['refused']);
    teller.tell(phase(1, 20, 30));
    teller.tell(phase(2, 10, 10));
    teller.tell(undefined);
    await clock.run(clock.sleep(9_000));
    teller.tell(phase(1, 20, 30));
    await clock.run(clock.sleep(9_000));
    expect(told).toEqual(['0 s1 1/2 20/30/70', '1 end', '9 s2 1/2 20/30/70']);
  });

  it('is nothing when all pods have ended, nor after the stop', async () => {
    const { clock, told, teller, phase } = setUp(['none']);
    teller.tell({ ...phase(0, 0, 0), phase: 0 });
    await clock.run(clock.sleep(2_000));
    teller.tell(phase(1, 20, 30));
    teller.stop();
    await clock.run(clock.sleep(9_000));
    expect(told).toEqual(['2 s1 1/2 20/30/70']);
  });
});
