import type { Pod } from '../../kube/types/core.ts';
import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { PodFacts } from '../../ports/store/rows.ts';
import { terminatedPlace } from '../../rules/pods/terminated-pods.ts';
import { sameJson } from './object-diff.ts';

const ownerOf = (pod: Pod): { owner?: string } => {
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner ? { owner: `${owner.kind}/${owner.name}` } : {};
};

const boundAt = (nodeName: string, before: PodFacts | undefined, now: EpochMs): { boundAt?: EpochMs } => {
  if (nodeName === '') return {};
  return { boundAt: before?.nodeName === nodeName ? (before.boundAt ?? now) : now };
};

const toleratedAt = (
  { spec: { nodeName = '', tolerations = [] } }: Pod,
  before: PodFacts | undefined,
  now: EpochMs,
): { toleratedAt?: EpochMs } => {
  if (nodeName === '' || before?.nodeName !== nodeName) return {};
  if (!sameJson(before.tolerations, tolerations)) return { toleratedAt: now };
  return before.toleratedAt === undefined ? {} : { toleratedAt: before.toleratedAt };
};

/** The index fields of a pod. `boundAt` is when the write that bound it happened. */
export const podFacts = (pod: Pod, before: PodFacts | undefined, now: EpochMs): PodFacts => {
  const nodeName = pod.spec.nodeName ?? '';
  const place = terminatedPlace(pod);
  return {
    nodeName,
    ...boundAt(nodeName, before, now),
    ...toleratedAt(pod, before, now),
    tolerations: pod.spec.tolerations ?? [],
    ...(pod.status?.phase === undefined ? {} : { phase: pod.status.phase }),
    ...optional('deletionTimestamp', pod.metadata.deletionTimestamp),
    ...ownerOf(pod),
    ...optional('terminatedPlace', place),
  };
};
