import type { Pod } from '../../shared/kube/types/core.ts';
import type { ApiObject } from '../../shared/kube/types/meta.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import {
  budgetFactsOf,
  DELETION_TIMEOUT_MS,
  hasNewGrant,
} from '../../shared/rules/budgets/disruption-budget.ts';
import type { Outgoing, Routing } from '../contract/controller.ts';
import type { Step } from '../contract/step.ts';
import type { DisruptionMessage } from './message.ts';

type Messages = readonly Outgoing<DisruptionMessage>[];

const SCALED = ['replicasets', 'statefulsets', 'deployments', 'replicationcontrollers'];

/** Seconds until a grant has lapsed, and one more. */
const LAPSED_SECONDS = DELETION_TIMEOUT_MS / 1000 + 1;

const replicasOf = (row: LiveRow | undefined): unknown =>
  row && ((row.object as ApiObject & { spec?: { replicas?: number } }).spec?.replicas ?? 1);

const podFacts = (row: LiveRow | undefined): string => (row ? budgetFactsOf(row.object as Pod) : '');

/** A status that this controller has written changes nothing of what it was computed from. */
const hasNewSpec = ({ before, after }: Step): boolean =>
  after !== undefined && before?.object.metadata.generation !== after.object.metadata.generation;

const hasGrants = ({ before, after }: Step): boolean =>
  after !== undefined && hasNewGrant(before?.object, after.object);

const ofBudget = (step: Step): Messages => {
  const body = { v: 1, namespace: step.key.namespace } as const;
  if (hasGrants(step)) return [{ body }, { body, delaySeconds: LAPSED_SECONDS }];
  return hasNewSpec(step) ? [{ body }] : [];
};

const isOfInterest = ({ key: { resource }, before, after }: Step): boolean => {
  if (resource === 'pods') return podFacts(before) !== podFacts(after);
  return SCALED.includes(resource) && before !== undefined && replicasOf(before) !== replicasOf(after);
};

/** One message per namespace: the change router drops repeated ones of a batch. The sweep makes up for lost ones. */
export const routing: Routing<DisruptionMessage> = {
  route: (step) => {
    if (step.key.resource === 'poddisruptionbudgets') return ofBudget(step);
    return isOfInterest(step) ? [{ body: { v: 1, namespace: step.key.namespace } }] : [];
  },
  resync: async () => [],
};
