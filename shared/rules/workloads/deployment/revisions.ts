/** Revisions of a Deployment, in annotations of its ReplicaSets. Source: kubernetes v1.34 `deployment_util.go`. */
import type { Workload } from '../../../kube/types/workloads.ts';
import { replicasOf } from '../replica-set/replica-set.ts';
import { maxReplicasOf } from './deployment-numbers.ts';

type Annotations = Readonly<Record<string, string>>;

const REVISION = 'deployment.kubernetes.io/revision';
const HISTORY = 'deployment.kubernetes.io/revision-history';
const DESIRED = 'deployment.kubernetes.io/desired-replicas';
const MAXIMUM = 'deployment.kubernetes.io/max-replicas';
/** Annotations of a Deployment that its ReplicaSets do not get. */
const OWN: readonly string[] = [
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
  REVISION,
  HISTORY,
  DESIRED,
  MAXIMUM,
];
/** The most characters of a history. */
const MOST_HISTORY = 2_000;
/** The largest number of replicas: of 32 bits. */
const MOST_REPLICAS = 2 ** 31 - 1;

const annotationsOf = ({ metadata }: Workload): Annotations => metadata.annotations ?? {};

const withAnnotations = (object: Workload, more: Annotations): Workload => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...annotationsOf(object), ...more } },
});

/** At most 20 characters: the longest integer of 64 bits. */
const REVISION_FORM = /^[+-]?\d{1,19}$/;

const numberFrom = (text: string | undefined, form: RegExp): number | undefined =>
  text !== undefined && form.test(text) ? Number(text) : undefined;

/** The revision of a ReplicaSet as it is written; `''` without one. */
export const revisionText = (set: Workload): string => annotationsOf(set)[REVISION] ?? '';

/** The revision of a ReplicaSet; 0 without one, `undefined` if it is no integer of 64 bits. */
const validRevision = (set: Workload): bigint | undefined => {
  const text = revisionText(set);
  if (!REVISION_FORM.test(text)) return text === '' ? 0n : undefined;
  const revision = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, revision) === revision ? revision : undefined;
};

/** The revision of a ReplicaSet; 0 without a valid one. */
export const revisionOf = (set: Workload): bigint => validRevision(set) ?? 0n;

/** The highest revision of these ReplicaSets; 0 if there are none. */
const maxRevision = (sets: readonly Workload[]): bigint =>
  [0n, ...sets.map(revisionOf)].toSorted((a, b) => Number(a - b)).at(-1) ?? 0n;

/** The revision of a new ReplicaSet beside `sets`: the highest of their revisions plus one (W-66). */
export const nextRevision = (sets: readonly Workload[]): bigint => maxRevision(sets) + 1n;

/** A replica count that the controller has noted on a ReplicaSet; `undefined` if somebody has spoiled it. */
const notedCount = (set: Workload, name: string): number | undefined => {
  const count = numberFrom(annotationsOf(set)[name], /^\d{1,10}$/);
  return count === undefined || count > MOST_REPLICAS ? undefined : count;
};

/** How many replicas the Deployment wanted when it scaled this ReplicaSet. */
export const desiredOf = (set: Workload): number | undefined => notedCount(set, DESIRED);

/** How many pods the Deployment allowed when it scaled this ReplicaSet. */
export const maximumOf = (set: Workload): number | undefined => notedCount(set, MAXIMUM);

/** The ReplicaSet with what its Deployment wants and allows now. */
export const withDesired = (deployment: Workload, set: Workload): Workload =>
  withAnnotations(set, {
    [DESIRED]: String(replicasOf(deployment)),
    [MAXIMUM]: String(maxReplicasOf(deployment)),
  });

/** The Deployment with the revision of its new ReplicaSet. */
export const withRevisionOf = (deployment: Workload, newSet: Workload): Workload =>
  withAnnotations(deployment, { [REVISION]: revisionText(newSet) });

const historyAfter = (set: Workload): Annotations => {
  const before = annotationsOf(set)[REVISION];
  if (before === undefined) return {};
  const past = (annotationsOf(set)[HISTORY] ?? '').split(',').filter((one) => one !== '');
  let history = [...past, before].join(',');
  while (history.length > MOST_HISTORY && history.includes(','))
    history = history.slice(history.indexOf(',') + 1);
  return { [HISTORY]: history };
};

/**
 * The new ReplicaSet with the Deployment's annotations and, if it is higher, this revision (W-66). A ReplicaSet that becomes the new one
 * again keeps its former revisions as history. A revision that is no number stays as it is.
 */
export const withNewRevision = (deployment: Workload, set: Workload, revision: bigint): Workload => {
  const copied = Object.fromEntries(
    Object.entries(annotationsOf(deployment)).filter(([name]) => !OWN.includes(name)),
  );
  const before = validRevision(set);
  const isHigher = before !== undefined && before < revision;
  return withAnnotations(set, {
    ...copied,
    ...(isHigher ? { ...historyAfter(set), [REVISION]: String(revision) } : {}),
  });
};
