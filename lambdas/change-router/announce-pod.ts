import { DISRUPTION_TARGET } from '../../shared/api/well-known.ts';
import type { LifecycleEvent } from '../../shared/ports/event-bus.ts';
import type { LiveRow } from '../../shared/ports/rows.ts';
import { isNewlyBound, nodeNameOf, podOf, type Step } from '../step.ts';
import type { Announced } from './change.ts';
import { idOf } from './change.ts';

const deletionOf = (row: LiveRow | undefined): string | undefined => podOf(row)?.metadata.deletionTimestamp;

/** Whether the agent on the node has to act: the pod was bound, its deletion was set or moved, or it is gone. */
const hasWork = (step: Step): boolean =>
  step.after === undefined || isNewlyBound(step) || deletionOf(step.before) !== deletionOf(step.after);

const evicted = (step: Step): readonly LifecycleEvent[] => {
  const target = podOf(step.after)?.status?.conditions?.find(({ type }) => type === DISRUPTION_TARGET);
  const isMarked = deletionOf(step.before) === undefined && deletionOf(step.after) !== undefined;
  if (!isMarked || target?.status !== 'True') return [];
  const { namespace, name } = step.key;
  const detail = { namespace, pod: name, uid: step.uid, node: nodeNameOf(step.after), reason: target.reason };
  return [{ detailType: 'PodEvicted', detail: { ...detail, id: idOf(step) } }];
};

/** The lifecycle events and work that a change of a Pod causes. */
export const announcePod = (step: Step): Announced => {
  const nodeName = nodeNameOf(step.after ?? step.before);
  return {
    lifecycle: evicted(step),
    notices: [],
    workFor: nodeName !== '' && hasWork(step) ? [nodeName] : [],
  };
};
