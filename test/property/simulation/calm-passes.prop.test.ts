import { describe, expect, it } from 'vitest';
import { builtInNames, builtInScenario } from '../../../simulation/built-in.ts';
import type { Happening } from '../../../simulation/figures/history.ts';
import { type Plan, planOf } from '../../../simulation/plan/plan.ts';
import { configurationOf } from '../../../simulation/plan/scenario.ts';
import { runPlan } from '../../../simulation/run.ts';

/** Fleets over which each pass runs in seconds. */
const MOST_MACHINES = 60;

const isOfNode = ({ kind }: Happening): boolean =>
  ['unknown', 'ready', 'notReady', 'tainted', 'untainted', 'evicted', 'left'].includes(kind);

const textOf = (happening: Happening): string => JSON.stringify(happening);

const run = async (plan: Plan, skipsCalmPasses: boolean) => {
  const { nodeLifecycle, ...others } = configurationOf(plan.settings);
  const { nodeIpam, outOfService, defaultTolerationSeconds } = others;
  const settings = { nodeIpam, outOfService, defaultTolerationSeconds };
  const outcome = await runPlan(plan, nodeLifecycle, {
    ...settings,
    leaveOutQuietPasses: false,
    skipsCalmPasses,
  });
  return { passes: outcome.passes, happenings: outcome.happenings.filter(isOfNode).map(textOf).toSorted() };
};

const SCENARIOS = builtInNames()
  .map((name) => ({ name, plan: planOf(builtInScenario(name)) }))
  // Faults are drawn call by call, and a pass that is left out shifts them. What workloads do, passes do not see.
  .filter(({ plan: { controlFaults, workloads = [] } }) =>
    [...controlFaults.map(({ kind }) => kind === 'pause'), workloads.length === 0].every(Boolean),
  )
  .filter(({ plan }) => plan.machines.length <= MOST_MACHINES);

describe('a scenario in which passes are left out that can find nothing (G-23)', () => {
  it.each(SCENARIOS)('has the same losses, taints and evictions: $name', async ({ plan }) => {
    const [all, some] = [await run(plan, false), await run(plan, true)];
    expect(some.happenings).toEqual(all.happenings);
    expect(some.passes).toBeLessThan(all.passes);
  });
});
