/** What a drain does with each pod of its node. Source: kubectl v1.34 pkg/drain `filters.go`. */

import { isObject } from '../../kube/json/json-object.ts';
import { matchesLabels, parseLabelSelector } from '../../kube/selector/label-selector.ts';
import type { Pod } from '../../kube/types/core.ts';
import { controllerOf } from '../../kube/values/controller-of.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { isFinished } from '../pods/deletion.ts';
import { isMirrorPod } from '../pods/mirror-pod.ts';
import { type DrainRequest, isValid } from './drain-request.ts';

/** Why a pod does not go, although the request does not leave it out. */
export type Refusal = 'daemonSet' | 'localStorage' | 'unmanaged';

/** What happens to a pod. `leave`: the node counts as drained although the pod is there. */
export type DrainStep =
  | { readonly step: 'leave' | 'wait' | 'evict' | 'delete' }
  | { readonly step: 'refuse'; readonly refusals: readonly Refusal[] };

const hasLocalStorage = ({ spec }: Pod): boolean => {
  const { volumes } = spec;
  return Array.isArray(volumes) && volumes.some((volume) => isObject(volume) && isObject(volume['emptyDir']));
};

const isOfDaemonSet = (pod: Pod): boolean => controllerOf(pod)?.kind === 'DaemonSet';

const isSelected = (request: DrainRequest, { metadata }: Pod): boolean => {
  const { podSelectors } = request;
  if (!podSelectors) return true;
  return (
    isValid(request) &&
    podSelectors.some((selector) => matchesLabels(parseLabelSelector(selector), metadata.labels))
  );
};

const refusalsOf = (pod: Pod, request: DrainRequest): readonly Refusal[] => [
  ...(hasLocalStorage(pod) && !request.deleteEmptyDirData ? (['localStorage'] as const) : []),
  ...(!controllerOf(pod) && !request.force ? (['unmanaged'] as const) : []),
];

/** Decides about a pod that is bound to the node, at `now` (ms). */
export const drainStep = (pod: Pod, request: DrainRequest, now: EpochMs): DrainStep => {
  if (isMirrorPod(pod) || !isSelected(request, pod)) return { step: 'leave' };
  const isDone = isFinished(pod);
  if (isOfDaemonSet(pod) && !isDone)
    return request.ignoreDaemonSets ? { step: 'leave' } : { step: 'refuse', refusals: ['daemonSet'] };
  if (pod.metadata.deletionTimestamp !== undefined) return { step: 'wait' };
  const refusals = isDone ? [] : refusalsOf(pod, request);
  if (refusals.length > 0) return { step: 'refuse', refusals };
  return { step: request.deleteAt !== undefined && now >= request.deleteAt ? 'delete' : 'evict' };
};

/** kubectl's words; the options are those of a NodeDrain. */
export const REFUSAL_TEXTS: Readonly<Record<Refusal, string>> = {
  daemonSet: 'DaemonSet-managed Pods (use ignoreDaemonSets to ignore)',
  localStorage: 'Pods with local storage (use deleteEmptyDirData to override)',
  unmanaged: 'Pods that declare no controller (use force to override)',
};
