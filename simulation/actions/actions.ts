/** What users do to workloads, and machines that come and go, at their instants. */
import type { Node, Pod } from '../../shared/kube/types/core.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { ControlStore } from '../../shared/ports/store/control-store.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import { liveRow, namespaceKey, nodeKey, type ObjectKey } from '../../shared/ports/store/rows.ts';
import { OUT_OF_SERVICE_TAINT } from '../../shared/rules/nodes/out-of-service.ts';
import { addOrUpdateTaint } from '../../shared/rules/nodes/taints.ts';
import { markNamespaceDeleted } from '../../shared/rules/owners/collect.ts';
import { withShutdownReport } from '../../shared/rules/shutdown/shutdown-report.ts';
import { withNotReady } from '../../shared/rules/shutdown/shutting-down-node.ts';
import { waitUntil } from '../../shared/store/turns/wait-until.ts';
import type { ObjectWriter } from '../../shared/store/writer/object-writer.ts';
import { registerNode } from '../fleet/fleet.ts';
import type { Plan } from '../plan/plan.ts';
import type { PlannedAction } from '../plan/plan-actions.ts';
import { namespaceOf, resourceOf, rolledOut } from '../plan/workloads.ts';
import type { SimulatedCloud } from './cloud.ts';
import { addBudget, drainNode, endHold, maintainZone, makeHold } from './operators.ts';

/** What actions need. */
export interface ActionDeps {
  readonly clock: Clock;
  readonly writer: ObjectWriter;
  readonly cloud: SimulatedCloud;
  readonly state: { readonly objects: ObjectStore; readonly control: ControlStore };
}

type Of<K> = Extract<PlannedAction, { kind: K }>;

const remove = async (writer: ObjectWriter, key: ObjectKey): Promise<void> => {
  await writer.write(key, (row) => (liveRow(row) ? { next: 'delete', writer: 'client' } : undefined));
};

const rollOut = async (writer: ObjectWriter, key: ObjectKey, image: string): Promise<void> => {
  await writer.write(key, (row) => {
    const stored = liveRow(row);
    return stored && { next: rolledOut(stored.object, image), writer: 'client' };
  });
};

const changeWorkload = (
  { writer }: ActionDeps,
  { workloads = [], startAt }: Plan,
  { kind, workload, at }: Extract<PlannedAction, { kind: 'rollout' | 'delete' }>,
): Promise<void> => {
  const planned = workloads.find(({ name }) => name === workload) ?? {};
  const key = { resource: resourceOf(planned), namespace: namespaceOf(planned), name: workload };
  return kind === 'delete'
    ? remove(writer, key)
    : rollOut(writer, key, `registry.k8s.io/pause:${(at - startAt) / 1000}`);
};

const taintOutOfService = async (writer: ObjectWriter, node: string): Promise<void> => {
  await writer.write(nodeKey(node), (row) => {
    const stored: Node | undefined = liveRow(row)?.object;
    const taints = addOrUpdateTaint(stored?.spec?.taints ?? [], OUT_OF_SERVICE_TAINT);
    return stored && { next: { ...stored, spec: { ...stored.spec, taints } }, writer: 'client' };
  });
};

const deleteNamespace = async (writer: ObjectWriter, name: string): Promise<void> => {
  await writer.write(namespaceKey(name), (row, now) => {
    const stored = liveRow(row);
    return stored && { next: markNamespaceDeleted(stored.object, now), writer: 'client' };
  });
};

/** Tells that a phase has begun. */
const tellShutdown = async (
  writer: ObjectWriter,
  { node, phasesMs, phases, totalMs }: Of<'shutDown'>,
): Promise<void> => {
  const remainingMs = phasesMs.reduce((sum, one) => sum + one, 0);
  const report = {
    id: `shutdown-${node}`,
    phase: phases - phasesMs.length + 1,
    phases,
    phaseSeconds: (phasesMs[0] ?? 0) / 1000,
    remainingSeconds: remainingMs / 1000,
    totalSeconds: totalMs / 1000,
  };
  await writer.write(nodeKey(node), (row, now) => {
    const stored = liveRow(row);
    return stored && { next: withNotReady(withShutdownReport(stored.object, report), now), writer: 'client' };
  });
};

/** The pods of the machine have ended. */
const endPods = async (
  writer: ObjectWriter,
  objects: Pick<ObjectStore, 'podsByNode'>,
  { node }: Pick<Of<'shutDown'>, 'node'>,
): Promise<void> => {
  const { value: pods } = await objects.podsByNode(node);
  for (const { key, uid } of pods)
    await writer.write(key, (row) => {
      const stored = liveRow(row);
      const pod = stored?.uid === uid ? (stored.object as Pod) : undefined;
      const status = { ...pod?.status, phase: 'Failed', reason: 'Terminated' };
      return pod && { next: { ...pod, status }, writer: 'client' };
    });
};

const act = async (deps: ActionDeps, plan: Plan, action: PlannedAction): Promise<void> => {
  if ('workload' in action) return changeWorkload(deps, plan, action);
  if (action.kind === 'deleteNamespace') return deleteNamespace(deps.writer, action.namespace);
  if (action.kind === 'budget') return addBudget(deps.writer, plan, action);
  if (action.kind === 'maintain') return maintainZone(deps.writer, action);
  if (action.kind === 'hold') return makeHold(deps, action);
  if (action.kind === 'resume') return endHold(deps.writer, action);
  if (action.kind === 'drain') return drainNode(deps.writer, action);
  if (action.kind === 'shutDown') return tellShutdown(deps.writer, action);
  if (action.kind === 'endPods') return endPods(deps.writer, deps.state.objects, action);
  const { kind, node } = action;
  if (kind === 'terminate' || kind === 'stop' || kind === 'interrupt') return deps.cloud.say(kind, node);
  if (kind === 'leave') return remove(deps.writer, nodeKey(node));
  if (kind === 'outOfService') return taintOutOfService(deps.writer, node);
  const machine = plan.machines.find(({ name }) => name === node);
  return machine && registerNode(deps.writer, machine, plan.room);
};

/** Does everything that is planned, until the last action. */
export const actInTime = async (deps: ActionDeps, plan: Plan): Promise<void> => {
  for (const action of plan.actions ?? []) {
    await waitUntil(deps.clock, action.at);
    await act(deps, plan, action);
  }
};
