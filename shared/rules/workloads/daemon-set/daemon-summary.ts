/** What a DaemonSet reads of a pod, as text. It is stored with the pod's owner edge, so that a look need not read each pod. */
import type { Pod, PodPhase, PodSpec } from '../../../kube/types/core.ts';
import type { ConditionStatus, ObjectMeta } from '../../../kube/types/meta.ts';
import { READY } from '../../../kube/types/well-known.ts';
import { FAILURES, failuresBefore, pinnedTo, targetNode } from './daemon-place.ts';

/** Summaries of another version are not read; the pod is read instead. */
const VERSION = 1;
/** The most characters of a summary: an edge stays below 1 KB, so it costs no more to write. */
const MOST_CHARACTERS = 700;

type Summary = readonly [
  version: number,
  labels: Readonly<Record<string, string>>,
  createdAt: string | null,
  deletedAt: string | null,
  node: string | null,
  isBound: 0 | 1,
  failures: number,
  phase: PodPhase | null,
  ready: ConditionStatus | null,
  readySince: string | null,
];

/** The summary of a pod; `undefined` if it would be too long, because the pod has many labels. */
export const daemonSummary = (pod: Pod): string | undefined => {
  const { labels = {}, creationTimestamp, deletionTimestamp } = pod.metadata;
  const { phase, conditions } = pod.status ?? {};
  const ready = conditions?.find(({ type }) => type === READY);
  const summary: Summary = [
    VERSION,
    labels,
    creationTimestamp ?? null,
    deletionTimestamp ?? null,
    targetNode(pod) ?? null,
    pod.spec.nodeName ? 1 : 0,
    failuresBefore(pod),
    phase ?? null,
    ready?.status ?? null,
    ready?.lastTransitionTime ?? null,
  ];
  const text = JSON.stringify(summary);
  return text.length > MOST_CHARACTERS ? undefined : text;
};

const specOf = (node: string | null, isBound: boolean): PodSpec => {
  if (node === null) return {};
  if (isBound) return { nodeName: node };
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: pinnedTo(node) };
  return { affinity: { nodeAffinity } };
};

/** The pod of a summary, with nothing but what the rules of DaemonSets read; `undefined` for a summary of another version. */
export const podOfSummary = (
  identity: Pick<ObjectMeta, 'name' | 'namespace' | 'uid' | 'ownerReferences'>,
  text: string,
): Pod | undefined => {
  const summary = JSON.parse(text) as Summary;
  if (summary[0] !== VERSION) return undefined;
  const [, labels, createdAt, deletedAt, node, isBound, failures, phase, status, since] = summary;
  const ready = status && { type: READY, status, ...(since === null ? {} : { lastTransitionTime: since }) };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...identity,
      labels,
      ...(createdAt === null ? {} : { creationTimestamp: createdAt }),
      ...(deletedAt === null ? {} : { deletionTimestamp: deletedAt }),
      ...(failures === 0 ? {} : { annotations: { [FAILURES]: String(failures) } }),
    },
    spec: specOf(node, isBound === 1),
    status: { ...(phase === null ? {} : { phase }), ...(ready ? { conditions: [ready] } : {}) },
  };
};
