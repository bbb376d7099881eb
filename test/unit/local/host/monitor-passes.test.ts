import { expect, it } from 'vitest';
import { runPass } from '../../../../lambdas/node-monitor/reconcile.ts';
import { runWhenFree } from '../../../../local/host/monitor-passes.ts';
import { createMemoryControlPlane } from '../../../../local/simulation/control-plane.ts';

const PERIOD = 5_000;

/** A pass of the tick `tick` that holds its lease for `heldMs`, and the pass of the next tick, which begins at its instant. */
const twoPasses = async (heldMs: number, nodeMonitorPeriodMs = PERIOD) => {
  const plane = createMemoryControlPlane();
  const deps = { ...plane.invoke(), config: { ...plane.config, nodeMonitorPeriodMs } };
  const tick = plane.clock.now();
  const first = await plane.clock.run(deps.control.startPass(tick, tick, 10_000));
  plane.clock.advance(PERIOD);
  const ended = plane.clock
    .sleep(heldMs - PERIOD)
    .then(() => deps.control.endPass(first?.pass ?? 0, plane.clock.now()));
  const report = await plane.clock.run(runWhenFree(deps, tick + PERIOD));
  const afterMs = plane.clock.now() - tick;
  await plane.clock.run(ended);
  return { report, afterMs, deps, tick, run: plane.clock.run };
};

it('a pass that an earlier one holds up begins when that is over', async () => {
  const { report, afterMs } = await twoPasses(6_250);
  expect(report).toMatchObject({ outcome: 'done', pass: 2 });
  expect(afterMs).toBeGreaterThanOrEqual(6_250);
  expect(afterMs).toBeLessThan(6_400);
});

it('a pass is left out when the next one is due before the earlier one is over', async () => {
  const { report, afterMs } = await twoPasses(9_000, 2_000);
  expect(report).toMatchObject({ outcome: 'skipped' });
  expect(afterMs).toBeLessThan(PERIOD + 2_200);
});

it('a second tick of the same instant does not wait', async () => {
  const { deps, tick, run } = await twoPasses(6_000);
  const second = tick + PERIOD;
  expect(await run(runPass(deps, second))).toMatchObject({ outcome: 'skipped' });
  const before = deps.clock.now();
  expect(await run(runWhenFree(deps, second))).toMatchObject({ outcome: 'skipped' });
  expect(deps.clock.now()).toBe(before);
});
