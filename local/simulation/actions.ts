/** What users do to workloads, and machines that come and go, at their instants. */
import type { Clock } from '../../shared/ports/clock.ts';
import type { ObjectKey } from '../../shared/ports/rows.ts';
import { liveRow } from '../../shared/ports/rows.ts';
import type { ObjectWriter } from '../../shared/state/object-writer.ts';
import { waitUntil } from '../../shared/state/wait-until.ts';
import { registerNode } from './fleet.ts';
import type { Plan, PlannedAction } from './plan.ts';
import { resourceOf, rolledOut } from './workloads.ts';

/** What actions need. */
export interface ActionDeps {
  readonly clock: Clock;
  readonly writer: ObjectWriter;
}

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
  const key = { resource: resourceOf(planned), namespace: 'default', name: workload };
  return kind === 'delete'
    ? remove(writer, key)
    : rollOut(writer, key, `registry.k8s.io/pause:${(at - startAt) / 1000}`);
};

const act = async (deps: ActionDeps, plan: Plan, action: PlannedAction): Promise<void> => {
  if ('workload' in action) return changeWorkload(deps, plan, action);
  const { kind, node } = action;
  if (kind === 'leave') return remove(deps.writer, { resource: 'nodes', namespace: '', name: node });
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
