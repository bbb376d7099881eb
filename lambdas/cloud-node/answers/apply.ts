/** Writes what an answer makes of a Node, if it is still the Node that was judged. */

import { StatusError } from '../../../shared/kube/errors/status-error.ts';
import type { Node } from '../../../shared/kube/types/core.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { type EventText, nodeTarget } from '../../../shared/ports/process/event-recorder.ts';
import { type LiveRow, liveRow } from '../../../shared/ports/store/rows.ts';
import { type CloudStep, cloudStep } from '../../../shared/rules/cloud/cloud-step.ts';
import { providerIdOf } from '../../../shared/rules/cloud/instance.ts';
import { targetOf } from '../../../shared/rules/holds/held-by.ts';
import { collected } from '../../../shared/rules/owners/collect.ts';
import type { Destruction } from '../../../shared/store/writer/destruction.ts';
import type { CloudNodeDeps } from '../deps.ts';
import { deletingNode, deletingNodeFailed, SYNCED } from './events.ts';
import type { Judged } from './judged.ts';

export type Applied = 'deleted' | 'initialised' | 'written' | 'nothing';

const writeOf = (node: Node, step: CloudStep, now: EpochMs): Destruction | undefined => {
  const target = { node: targetOf(node), writer: 'controller' } as const;
  if (step.does === 'nothing') return undefined;
  // A taint `shutdown` evicts nobody, and an answer about a machine is no harm.
  if (step.does === 'write') return { destroyed: { next: step.next }, stops: undefined, ...target };
  const destroyed = collected('nodes', node, 'Background', now);
  return destroyed && { destroyed, stops: 'NodeDeletion', ...target };
};

/** A Node of the same name that was made anew, or names another machine, is another one: the answer is not about it. */
const isSame = (row: LiveRow | undefined, judged: LiveRow): row is LiveRow =>
  row?.uid === judged.uid && providerIdOf(row.object) === providerIdOf(judged.object);

const record = ({ recorder }: CloudNodeDeps, { key, uid }: LiveRow, text: EventText): Promise<void> =>
  recorder.record(nodeTarget(key.name, uid), text, text.reason);

const doneBy = (step: CloudStep): Applied => {
  if (step.does === 'delete') return 'deleted';
  return step.does === 'write' && step.isInitialised ? 'initialised' : 'written';
};

const write = async (
  { writer }: CloudNodeDeps,
  { row: judged, answer, isShared }: Judged,
): Promise<Applied> => {
  let done: Applied = 'nothing';
  const { outcome } = await writer.destroy(
    judged.key,
    (found, now) => {
      const row = liveRow(found);
      if (!isSame(row, judged)) return undefined;
      const step = cloudStep(row.object, answer, now, isShared);
      done = doneBy(step);
      return writeOf(row.object, step, now);
    },
    judged,
  );
  return outcome === 'written' ? done : 'nothing';
};

/** Writes the Node, and records the Event that Kubernetes records. Throws if the Node could not be written. */
export const apply = async (deps: CloudNodeDeps, judged: Judged): Promise<Applied> => {
  const { row, answer } = judged;
  const { name } = row.key;
  try {
    const done = await write(deps, judged);
    if (done === 'deleted') await record(deps, row, deletingNode(name));
    if (done === 'initialised') await record(deps, row, SYNCED);
    return done;
  } catch (error) {
    const isDeletion = cloudStep(row.object, answer, deps.clock.now()).does === 'delete';
    if (isDeletion && error instanceof StatusError)
      await record(deps, row, deletingNodeFailed(name, error.message));
    throw error;
  }
};
