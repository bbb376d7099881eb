import type { Pod } from '../../shared/api/core.ts';
import { DISRUPTION_TARGET } from '../../shared/api/well-known.ts';
import type { LifecycleEvent } from '../../shared/ports/event-bus.ts';
import type { LiveRow } from '../../shared/ports/rows.ts';
import { sameJson } from '../../shared/state/object-diff.ts';
import type { Routed, Step } from './route.ts';
import { idOf } from './route.ts';

const podOf = (row: LiveRow | undefined): Pod | undefined => row?.object as Pod | undefined;
const nodeNameOf = (row: LiveRow | undefined): string => podOf(row)?.spec.nodeName ?? '';
const deletionOf = (row: LiveRow | undefined): string | undefined => podOf(row)?.metadata.deletionTimestamp;

const isNewlyBound = ({ before, after }: Step): boolean =>
  nodeNameOf(after) !== '' && nodeNameOf(after) !== nodeNameOf(before);

const isRetolerated = ({ before, after }: Step): boolean =>
  before !== undefined &&
  nodeNameOf(after) !== '' &&
  !sameJson(podOf(before)?.spec.tolerations ?? [], podOf(after)?.spec.tolerations ?? []);

/** Bound, marked for deletion (or for an earlier one), or gone. */
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

/** What a change of a Pod sets in motion. */
export const routePod = (step: Step): Routed => {
  const { namespace, name } = step.key;
  const body = { v: 1, kind: 'pod', namespace, name, uid: step.uid } as const;
  const isBound = isNewlyBound(step);
  const nodeName = nodeNameOf(step.after ?? step.before);
  return {
    podReadiness: isBound ? [{ body }] : [],
    taintEviction: isBound || isRetolerated(step) ? [{ body }] : [],
    lifecycle: evicted(step),
    notices: [],
    workFor: nodeName !== '' && hasWork(step) ? [nodeName] : [],
  };
};
