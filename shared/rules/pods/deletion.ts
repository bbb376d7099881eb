import type { Pod } from '../../kube/types/core.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { parseTime, toTime } from '../../kube/values/time.ts';

const marked = <T extends ApiObject>(object: T, endsAt: EpochMs, seconds: number): T => ({
  ...object,
  metadata: {
    ...object.metadata,
    deletionTimestamp: toTime(endsAt),
    deletionGracePeriodSeconds: seconds,
  },
});

const begun = <T extends ApiObject>(object: T, seconds: number, now: EpochMs): T => {
  const { generation } = object.metadata;
  const next = marked(object, now + seconds * 1000, seconds);
  if (generation === undefined) return next;
  return { ...next, metadata: { ...next.metadata, generation: generation + 1 } };
};

// A second deletion may only shorten the grace period; `deletionTimestamp` moves by the difference.
const shortened = <T extends ApiObject>(object: T, seconds: number): T => {
  const { deletionTimestamp = '', deletionGracePeriodSeconds: before = 0 } = object.metadata;
  if (seconds >= before) return object;
  return marked(object, (parseTime(deletionTimestamp) ?? 0) - (before - seconds) * 1000, seconds);
};

/**
 * The object with a deletion that ends `seconds` after `now` (ms), or with an earlier end than it has; the same object when
 * nothing changes. Source: kubernetes v1.34 registry/rest `BeforeDelete`.
 */
export const withDeletion = <T extends ApiObject>(object: T, seconds: number, now: EpochMs): T =>
  object.metadata.deletionTimestamp === undefined ? begun(object, seconds, now) : shortened(object, seconds);

/** Whether neither a grace period nor a finalizer holds an object that is being deleted. */
export const isReadyToGo = ({ metadata }: ApiObject): boolean =>
  !metadata.deletionGracePeriodSeconds && (metadata.finalizers ?? []).length === 0;

/** Whether the pod has succeeded or failed. */
export const isFinished = ({ status }: Pod): boolean =>
  status?.phase === 'Failed' || status?.phase === 'Succeeded';

/**
 * Grace period of a pod in seconds: the requested one, or else the pod's own; 0 if no node has to stop the pod; 1 for a negative one.
 * Source: kubernetes v1.34 registry/core/pod `CheckGracefulDelete`.
 */
export const podGraceSeconds = (pod: Pod, requested?: number): number => {
  if (!pod.spec.nodeName || isFinished(pod)) return 0;
  const seconds = requested ?? pod.spec.terminationGracePeriodSeconds ?? 0;
  return seconds < 0 ? 1 : seconds;
};
