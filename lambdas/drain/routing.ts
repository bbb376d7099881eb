import type { Pod } from '../../shared/api/core.ts';
import type { PodDisruptionBudget } from '../../shared/api/policy.ts';
import { DISRUPTION_TARGET, TAINT_UNSCHEDULABLE } from '../../shared/api/well-known.ts';
import { drainRequestOf } from '../../shared/domain/drain/node-drain.ts';
import { controllerOf } from '../../shared/domain/pods/disruption-budget.ts';
import { tolerates } from '../../shared/domain/pods/tolerations.ts';
import type { LiveRow } from '../../shared/ports/rows.ts';
import type { Outgoing, Routing } from '../controller.ts';
import { isNewlyBound, nodeNameOf, podOf, type Step } from '../step.ts';
import type { DrainMessage } from './message.ts';

type Messages = readonly Outgoing<DrainMessage>[];

const requestIn = (row: LiveRow | undefined): string =>
  row ? JSON.stringify(drainRequestOf(row.object) ?? '') : '""';

/** A request that comes, changes or goes; a node that goes with one. */
const ofNode = ({ key: { name }, before, after }: Step): Messages =>
  requestIn(before) === requestIn(after) ? [] : [{ body: { v: 1, kind: 'node', name } }];

const UNSCHEDULABLE = { key: TAINT_UNSCHEDULABLE, effect: 'NoSchedule' } as const;

/** Only such pods come to a node that is cordoned. Those of DaemonSets stay there. */
const comesToCordoned = (pod: Pod): boolean =>
  (pod.spec.tolerations ?? []).some((toleration) => tolerates(toleration, UNSCHEDULABLE)) &&
  controllerOf(pod)?.kind !== 'DaemonSet';

/** Pods that were evicted, from which it follows that somebody drains the node. */
const isDisrupted = (pod: Pod): boolean =>
  pod.status?.conditions?.some(({ type, status }) => type === DISRUPTION_TARGET && status === 'True') ===
  true;

const ofPod = (step: Step): Messages => {
  const pod = podOf(step.after ?? step.before);
  if (!pod) return [];
  if (isNewlyBound(step) && comesToCordoned(pod))
    return [{ body: { v: 1, kind: 'node', name: nodeNameOf(step.after) } }];
  const name = nodeNameOf(step.before);
  return step.after === undefined && name !== '' && isDisrupted(pod)
    ? [{ body: { v: 1, kind: 'nudge', name } }]
    : [];
};

/** Disruptions that a budget allows; one that is gone allows any number. */
const ANY = 1_000;

const allowedBy = (row: LiveRow | undefined): number =>
  row ? ((row.object as PodDisruptionBudget).status?.disruptionsAllowed ?? 0) : ANY;

const ofBudget = ({ before, after }: Step): Messages => {
  const allowed = allowedBy(after);
  return before && allowed > allowedBy(before) ? [{ body: { v: 1, kind: 'budget', allowed } }] : [];
};

/**
 * Messages for requests, for pods that come to a cordoned node or have left one after an eviction, and for budgets that let more pods go. A
 * resync of nodes sends none: the sweep looks at all of them.
 */
export const routing: Routing<DrainMessage> = {
  route: (step) => {
    switch (step.key.resource) {
      case 'nodes':
        return ofNode(step);
      case 'pods':
        return ofPod(step);
      case 'poddisruptionbudgets':
        return ofBudget(step);
      default:
        return [];
    }
  },
  resync: async () => [],
};
