/** Grants one disruption of a budget, on condition that the budget is unchanged since it was read. */

import { forbidden, StatusError } from '../../kube/errors/status-error.ts';
import type { Pod } from '../../kube/types/core.ts';
import type { PodDisruptionBudget } from '../../kube/types/policy.ts';
import { optional } from '../../kube/values/optional.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { IdSource } from '../../ports/process/id-source.ts';
import type { ObjectKey, Row } from '../../ports/store/rows.ts';
import { withGrant } from '../../rules/budgets/disruption-budget.ts';
import type { EvictionVerdict } from '../../rules/budgets/eviction-verdict.ts';
import { decideEviction } from '../../rules/budgets/eviction-verdict.ts';
import type { ObjectWrite, ObjectWriter } from '../../store/writer/object-writer.ts';
import type { BudgetDeps, StatusNow } from './budget-status.ts';
import { BUDGETS, readStatus } from './budget-status.ts';

const REFUSAL = "Cannot evict pod as it would violate the pod's disruption budget.";
const MAX_TRIES = 20;

/** What granting an eviction needs. */
export interface GrantDeps extends BudgetDeps {
  readonly writer: ObjectWriter;
  readonly clock: Clock;
  readonly ids: IdSource;
}

type Granted = 'spent' | 'unhealthy';

type Waiting = Extract<EvictionVerdict, { verdict: 'wait' }>;

/**
 * The 429 of an eviction that a budget refuses. `seconds` becomes Retry-After; without it clients choose when to
 * retry.
 */
export const evictionRefused = ({ why, seconds }: Omit<Waiting, 'verdict'>): StatusError =>
  new StatusError('TooManyRequests', REFUSAL, {
    causes: [{ reason: 'DisruptionBudget', message: why }],
    ...optional('retryAfterSeconds', seconds),
  });

/** What the verdict grants. Throws 429 and 403. */
const grantOf = (verdict: EvictionVerdict, name: string): Granted => {
  switch (verdict.verdict) {
    case 'wait':
      throw evictionRefused(verdict);
    case 'forbidden':
      throw forbidden({ resource: 'poddisruptionbudget', group: 'policy', name }, verdict.why);
    case 'unhealthy':
      return 'unhealthy';
    case 'spend':
      return 'spent';
  }
};

interface Decided {
  readonly granted: Granted;
  readonly change?: ObjectWrite;
}

const decideGrant = (budget: PodDisruptionBudget, pod: Pod, statusNow: StatusNow, now: number): Decided => {
  const status = statusNow(budget, now);
  const granted = grantOf(decideEviction(budget, status, pod), budget.metadata.name);
  if (granted === 'unhealthy') return { granted };
  const next = { ...budget, status: withGrant(status, pod.metadata.name, now) };
  return { granted, change: { next, writer: 'controller' } };
};

const keyOfBudget = ({ metadata }: PodDisruptionBudget): ObjectKey => ({
  resource: BUDGETS,
  namespace: metadata.namespace ?? '',
  name: metadata.name,
});

const budgetOf = (row: Row | undefined): PodDisruptionBudget | undefined =>
  row?.state === 'live' ? row.object : undefined;

/** `undefined`: another client wrote the budget meanwhile, so everything has to be read again. */
const grantUnchanged = async (
  budget: PodDisruptionBudget,
  pod: Pod,
  statusNow: StatusNow,
  { writer }: GrantDeps,
): Promise<Granted | undefined> => {
  let decided: Decided | undefined;
  await writer.write(keyOfBudget(budget), (row, now) => {
    const current = budgetOf(row);
    const isSame = current?.metadata.resourceVersion === budget.metadata.resourceVersion;
    decided = isSame ? decideGrant(current ?? budget, pod, statusNow, now) : undefined;
    return decided?.change;
  });
  return decided?.granted;
};

const timedOut = (name: string): StatusError =>
  new StatusError('Timeout', `Timeout: couldn't update PodDisruptionBudget "${name}" due to conflicts`, {
    retryAfterSeconds: 10,
  });

/**
 * Asks the pod's budget and takes one disruption from it, or none for a pod that does not count (`unhealthy`).
 * The pods are read after the budget, and the budget is written on condition that it is unchanged: a concurrent
 * grant whose deletion these pods do not show yet is therefore recorded in the budget, or the write fails and all
 * is read again. Throws 429, 403 and 504. A budget that is deleted meanwhile refuses nothing.
 */
export const spendDisruption = async (
  listed: PodDisruptionBudget,
  pod: Pod,
  dryRun: boolean,
  deps: GrantDeps,
): Promise<Granted> => {
  const { name } = listed.metadata;
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const budget = budgetOf(await deps.objects.read(keyOfBudget(listed)));
    if (!budget) return 'spent';
    const statusNow = await readStatus(budget, deps);
    if (dryRun) return decideGrant(budget, pod, statusNow, deps.clock.now()).granted;
    const granted = await grantUnchanged(budget, pod, statusNow, deps);
    if (granted) return granted;
    await deps.clock.sleep(deps.ids.random() * Math.min(500, 20 * tries));
  }
  throw timedOut(name);
};
