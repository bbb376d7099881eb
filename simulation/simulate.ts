import type { ToldNotification } from '../shared/rules/notifications/as-told.ts';
import type { Happening } from './figures/history.ts';
import type { Figures } from './figures.ts';
import { figuresOf } from './figures.ts';
import type { Plan } from './plan/plan.ts';
import { planOf } from './plan/plan.ts';
import { configurationOf, type Scenario } from './plan/scenario.ts';
import { runPlan } from './run.ts';
import { failingsOf } from './verdict.ts';

/** A run and its results. */
export interface Simulated {
  readonly plan: Plan;
  readonly figures: Figures;
  readonly happenings: readonly Happening[];
  /** What people would have been told. */
  readonly notifications: readonly ToldNotification[];
}

/** Runs a plan with its settings. Rejects with an `InvalidSettingsError`. */
export const simulatePlan = async (plan: Plan): Promise<Simulated> => {
  const { nodeLifecycle, ...others } = configurationOf(plan.settings);
  const { nodeIpam, terminatedPodGcThreshold, disableForceDetachOnTimeout } = others;
  const { outOfService, defaultTolerationSeconds } = others;
  const settings = {
    nodeIpam,
    terminatedPodGcThreshold,
    disableForceDetachOnTimeout,
    outOfService,
    defaultTolerationSeconds,
  };
  const outcome = await runPlan(plan, nodeLifecycle, settings);
  const { happenings, notifications } = outcome;
  return { plan, figures: figuresOf(plan, outcome, nodeLifecycle), happenings, notifications };
};

/** Runs a scenario. `failings`: expectations of the scenario that were not met; empty if it passed. */
export const simulate = async (
  scenario: Scenario,
  {
    seed,
    settings = {},
  }: { readonly seed?: number | undefined; readonly settings?: Readonly<Record<string, unknown>> } = {},
): Promise<Simulated & { readonly failings: readonly string[] }> => {
  const plan = planOf({ ...scenario, configuration: { ...scenario.configuration, ...settings } }, seed);
  const simulated = await simulatePlan(plan);
  return {
    ...simulated,
    failings: scenario.expect ? failingsOf(simulated.figures, scenario.expect, plan.actions) : [],
  };
};
