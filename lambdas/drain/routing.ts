import type { Node, Pod } from '../../shared/kube/types/core.ts';
import type { PodDisruptionBudget } from '../../shared/kube/types/policy.ts';
import { DISRUPTION_TARGET } from '../../shared/kube/types/well-known.ts';
import { controllerOf } from '../../shared/kube/values/controller-of.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { MAINTENANCE_DONE_ANNOTATION } from '../../shared/rules/drain/drain-annotations.ts';
import { withoutDrainConditions } from '../../shared/rules/drain/drain-progress.ts';
import { drainRequestOf } from '../../shared/rules/drain/node-drain.ts';
import { maintenanceNameOf, maintenanceOf } from '../../shared/rules/drain/node-in-maintenance.ts';
import { toleratesCordon } from '../../shared/rules/pods/tolerations.ts';
import type { Outgoing, Routing } from '../contract/controller.ts';
import { isNewlyBound, nodeNameOf, podOf, type Step } from '../contract/step.ts';
import type { DrainMessage } from './message.ts';

type Messages = readonly Outgoing<DrainMessage>[];

const requestIn = (row: LiveRow | undefined): string =>
  row ? JSON.stringify(drainRequestOf(row.object) ?? '') : '""';

/** What the maintenance of a node depends on; `undefined` while it has none. */
const maintenanceFacts = (row: LiveRow | undefined) => {
  const record = row && maintenanceOf(row.object);
  if (!row || record?.phase !== 'InProgress') return undefined;
  const name = maintenanceNameOf(record);
  const { metadata, status }: Node = row.object;
  const said = metadata.annotations?.[MAINTENANCE_DONE_ANNOTATION];
  const states = (status?.conditions ?? []).map(({ type, status: is }) => `${type}=${is}`);
  return { name, facts: JSON.stringify([record, requestIn(row), said, status?.['nodeInfo'], states]) };
};

const ofMaintainedNode = ({ before, after }: Step): Messages => {
  const [was, is] = [maintenanceFacts(before), maintenanceFacts(after)];
  const name = (is ?? was)?.name;
  return name === undefined || was?.facts === is?.facts ? [] : [{ body: { v: 1, kind: 'maintained', name } }];
};

const hasConditions = (row: LiveRow | undefined): boolean =>
  row !== undefined && withoutDrainConditions(row.object) !== row.object;

/** A client has replaced all conditions of a node that is being drained, or is drained. */
const hasLostConditions = ({ before, after }: Step): boolean =>
  after !== undefined &&
  drainRequestOf(after.object) !== undefined &&
  hasConditions(before) &&
  !hasConditions(after);

/** A request that comes, changes or goes; a node that goes with one; one that has lost the conditions of its drain. */
const ofNode = (step: Step): Messages => {
  const { key, before, after } = step;
  const isAsked = requestIn(before) !== requestIn(after) || hasLostConditions(step);
  const asked: Messages = isAsked ? [{ body: { v: 1, kind: 'node', name: key.name } }] : [];
  return [...asked, ...ofMaintainedNode(step)];
};

const hasNewSpec = ({ before, after }: Step): boolean =>
  before?.object.metadata.generation !== after?.object.metadata.generation || before?.uid !== after?.uid;

/** Only such pods come to a node that is cordoned. Those of DaemonSets stay there. */
const comesToCordoned = (pod: Pod): boolean =>
  toleratesCordon(pod.spec.tolerations ?? []) && controllerOf(pod)?.kind !== 'DaemonSet';

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
 * Messages for requests, for NodeMaintenances and the nodes that they maintain, for pods that come to a cordoned node or have left one after an eviction, and for budgets that let more pods go. A
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
      case 'nodemaintenances':
        return hasNewSpec(step) ? [{ body: { v: 1, kind: 'maintenance', name: step.key.name } }] : [];
      default:
        return [];
    }
  },
  resync: async () => [],
};
