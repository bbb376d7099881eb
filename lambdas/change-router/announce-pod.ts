import { DISRUPTION_TARGET } from '../../shared/kube/types/well-known.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import type { LifecycleEvent } from '../../shared/rules/notifications/lifecycle-event.ts';
import { isNewlyBound, nodeNameOf, podOf, type Step } from '../contract/step.ts';
import type { Announced } from './change.ts';
import { idOf } from './change.ts';

const deletionOf = (row: LiveRow | undefined): string | undefined => podOf(row)?.metadata.deletionTimestamp;

const generationOf = (row: LiveRow | undefined): number | undefined => podOf(row)?.metadata.generation;

/** Whether the agent on the node has to act: the pod was bound, its specification has changed, its deletion was set or moved, or it is gone. */
const hasWork = (step: Step): boolean =>
  step.after === undefined ||
  isNewlyBound(step) ||
  generationOf(step.before) !== generationOf(step.after) ||
  deletionOf(step.before) !== deletionOf(step.after);

const evicted = (step: Step): readonly LifecycleEvent[] => {
  const target = podOf(step.after)?.status?.conditions?.find(({ type }) => type === DISRUPTION_TARGET);
  const isMarked = deletionOf(step.before) === undefined && deletionOf(step.after) !== undefined;
  if (!isMarked || target?.status !== 'True') return [];
  const { namespace, name } = step.key;
  const node = nodeNameOf(step.after);
  const { reason, lastTransitionTime: time } = target;
  const message = `pod ${namespace}/${name} is evicted from node ${node}: ${reason}`;
  const detail = {
    ...{ id: idOf(step), namespace, pod: name, uid: step.uid, node, reason },
    ...{ severity: 'info' as const, message, ...(time === undefined ? {} : { time }) },
  };
  return [{ detailType: 'PodEvicted', detail }];
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
