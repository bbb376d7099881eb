/** Which terminated pods are too many. Source: kubernetes v1.34 podgc `gcTerminated`. */

import { byText } from '../../kube/text/compare-text.ts';
import type { Pod } from '../../kube/types/core.ts';

const GOING_ON: ReadonlySet<string> = new Set(['Pending', 'Running', 'Unknown']);

/** Whether the pod has ended; so has a pod without a phase. */
export const isTerminated = ({ status }: Pod): boolean => !GOING_ON.has(status?.phase ?? '');

/** The first character of a place: the order in which classes of pods go. */
const EVICTED = '0';
const OTHER = '1';
/** Finalizers hold these, and nothing else does: deleting them again changes nothing. */
const HELD = '2';

const classOf = ({ metadata, status }: Pod): string => {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers = [] } = metadata;
  if (deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length > 0)
    return HELD;
  return status?.phase === 'Failed' && status['reason'] === 'Evicted' ? EVICTED : OTHER;
};

/**
 * The place of a terminated pod in the order in which such pods are deleted, as a text that sorts: evicted ones first, then the oldest,
 * then by name. `undefined`: it has not ended.
 */
export const terminatedPlace = (pod: Pod): string | undefined =>
  isTerminated(pod)
    ? `${classOf(pod)}/${pod.metadata.creationTimestamp ?? ''}/${pod.metadata.name}`
    : undefined;

/** A terminated pod, as the index shows it. */
export interface Terminated {
  readonly place: string;
}

const isHeld = ({ place }: Terminated): boolean => place.startsWith(HELD);

/** The terminated pods to delete so that `threshold` are left, in order. Held ones count, too. 0 or less: none is deleted. */
export const tooManyTerminated = <T extends Terminated>(
  terminated: readonly T[],
  threshold: number,
): readonly T[] => {
  const excess = threshold > 0 ? terminated.length - threshold : 0;
  if (excess <= 0) return [];
  return terminated
    .filter((one) => !isHeld(one))
    .toSorted((a, b) => byText(a.place, b.place))
    .slice(0, excess);
};

/** Milliseconds from one look at the terminated pods to the next: Kubernetes' period. A look reads all of them. */
export const LOOK_EVERY_MS = 20_000;

/**
 * When to look at the terminated pods if one more has ended: `now`, at an instant (ms) for which a look has to be planned, or `undefined` if
 * there is one planned already. `lookAt`: the instant of the last look, or of the planned one.
 */
export const nextLook = (lookAt: number | undefined, now: number): 'now' | number | undefined => {
  if (lookAt === undefined || lookAt > now + LOOK_EVERY_MS || lookAt <= now - LOOK_EVERY_MS) return 'now';
  return lookAt > now ? undefined : lookAt + LOOK_EVERY_MS;
};
