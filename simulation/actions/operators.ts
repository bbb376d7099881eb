/** What operators do: they empty nodes, and stop what the control plane does. */
import type { Hold } from '../../shared/kube/types/hold.ts';
import type { NodeMaintenance } from '../../shared/kube/types/node-maintenance.ts';
import type { PodDisruptionBudget } from '../../shared/kube/types/policy.ts';
import { LABEL_ZONE } from '../../shared/kube/types/well-known.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import { toTime } from '../../shared/kube/values/time.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { ControlStore } from '../../shared/ports/store/control-store.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import { liveRow, nodeKey } from '../../shared/ports/store/rows.ts';
import { WHOLE_NODE } from '../../shared/rules/drain/drain-request.ts';
import { withDrainRequest } from '../../shared/rules/drain/node-drain.ts';
import { HOLDS, settleHolds } from '../../shared/store/holds/settle-holds.ts';
import { createLister } from '../../shared/store/lists/lists.ts';
import type { ObjectWriter } from '../../shared/store/writer/object-writer.ts';
import type { Plan } from '../plan/plan.ts';
import type { PlannedAction } from '../plan/plan-actions.ts';
import { namespaceOf } from '../plan/workloads.ts';
import { createIds } from '../plane/ids.ts';

type Of<K> = Extract<PlannedAction, { kind: K }>;

/** Makes a budget of a workload. */
export const addBudget = async (
  writer: ObjectWriter,
  { workloads = [] }: Plan,
  { budgetOf: name, maxUnavailable }: Of<'budget'>,
): Promise<void> => {
  const namespace = namespaceOf(workloads.find((one) => one.name === name) ?? {});
  await writer.write({ resource: 'poddisruptionbudgets', namespace, name }, (_row, now) => {
    const metadata = { name, namespace, uid: `budget-${name}`, generation: 1 };
    const next: PodDisruptionBudget = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { ...metadata, creationTimestamp: toTime(now) },
      spec: { selector: { matchLabels: { app: name } }, maxUnavailable },
    };
    return { next, writer: 'client' };
  });
};

/** Asks for the drain of a node. */
export const drainNode = async (
  writer: ObjectWriter,
  { node: name, timeoutMs }: Of<'drain'>,
): Promise<void> => {
  await writer.write(nodeKey(name), (row, now) => {
    const stored = liveRow(row);
    const deadline = timeoutMs === undefined ? {} : { deadlineAt: now + timeoutMs };
    const request = { id: `drain-${name}`, requestedAt: now, by: 'operator', reason: '', ...deadline };
    return (
      stored && { next: withDrainRequest(stored.object, { ...request, ...WHOLE_NODE }), writer: 'client' }
    );
  });
};

/** Makes a NodeMaintenance whose window opens a second later. */
export const maintainZone = async (
  writer: ObjectWriter,
  { zone, atOnce, forMs }: Of<'maintain'>,
): Promise<void> => {
  await writer.write({ resource: 'nodemaintenances', namespace: '', name: zone }, (_row, now) => {
    const next: NodeMaintenance = {
      apiVersion: 'rollcall.dev/v1',
      kind: 'NodeMaintenance',
      metadata: { name: zone, uid: `maintenance-${zone}`, generation: 1, creationTimestamp: toTime(now) },
      spec: {
        nodeSelector: { matchLabels: { [LABEL_ZONE]: zone } },
        startTime: toTime(now + 1_000),
        durationSeconds: forMs / 1_000,
        maxConcurrent: atOnce,
        doneWhen: 'Drained',
        uncordon: true,
        drain: { force: true, deleteEmptyDirData: true },
      },
    };
    return { next, writer: 'client' };
  });
};

/** What making a Hold needs. */
export interface HoldActionDeps {
  readonly writer: ObjectWriter;
  readonly clock: Clock;
  readonly state: { readonly objects: ObjectStore; readonly control: ControlStore };
}

const keyOf = (name: string) => ({ resource: HOLDS, namespace: '', name });

/** Makes a Hold, and brings it into force as the API does before it answers: lost messages change nothing of that. */
export const makeHold = async (
  { writer, state, clock }: HoldActionDeps,
  { name, zones, stops }: Of<'hold'>,
): Promise<void> => {
  await writer.write(keyOf(name), (_row, now) => {
    const metadata = { name, uid: `hold-${name}`, generation: 1, creationTimestamp: toTime(now) };
    const next: Hold = {
      apiVersion: 'rollcall.dev/v1',
      kind: 'Hold',
      metadata,
      spec: { ...optional('zones', zones), ...optional('stops', stops), reason: 'of the scenario' },
      status: { by: 'operator' },
    };
    return { next, writer: 'client' };
  });
  const own = { ...state, clock, ids: createIds() };
  await settleHolds({ ...own, writer, lister: createLister(own) });
};

/** Deletes it. */
export const endHold = async (writer: ObjectWriter, { name }: Of<'resume'>): Promise<void> => {
  await writer.write(keyOf(name), () => ({ next: 'delete', writer: 'client' }));
};
