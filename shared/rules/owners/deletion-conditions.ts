/**
 * The conditions of a namespace that is being deleted. Source: kubernetes v1.34
 * pkg/controller/namespace/deletion/status_condition_utils.go.
 */
import type { Namespace } from '../../kube/types/core.ts';
import type { Condition } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { toTime } from '../../kube/values/time.ts';
import type { KindLeft } from './namespace-content.ts';

type Told = Required<Pick<Condition, 'type' | 'status' | 'reason' | 'message'>>;

const fine = (type: string, reason: string, message: string): Told => ({
  type,
  status: 'False',
  reason,
  message,
});

/** What each condition says where nothing is wrong, in the order in which they are stored. */
const FINE: readonly Told[] = [
  fine('NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'),
  fine(
    'NamespaceDeletionGroupVersionParsingFailure',
    'ParsedGroupVersions',
    'All legacy kube types successfully parsed',
  ),
  fine(
    'NamespaceDeletionContentFailure',
    'ContentDeleted',
    'All content successfully deleted, may be waiting on finalization',
  ),
  fine('NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed'),
  fine(
    'NamespaceFinalizersRemaining',
    'ContentHasNoFinalizers',
    'All content-preserving finalizers finished',
  ),
];

const wrong = (type: string, reason: string, intro: string, items: readonly string[]): readonly Told[] =>
  items.length === 0
    ? []
    : [{ type, status: 'True', reason, message: `${intro}: ${items.toSorted().join(', ')}` }];

const failures = (kinds: readonly KindLeft[]): readonly Told[] => {
  const errors = kinds.flatMap(({ error }) => (error === undefined ? [] : [error]));
  const intro = `Failed to delete all resource types, ${errors.length} remaining`;
  return wrong('NamespaceDeletionContentFailure', 'ContentDeletionFailed', intro, errors);
};

const remaining = (kinds: readonly KindLeft[]): readonly Told[] => {
  const items = kinds
    .filter(({ left }) => left > 0)
    .map(({ kind, left }) => `${kind.resource}.${kind.group} has ${left} resource instances`);
  return wrong('NamespaceContentRemaining', 'SomeResourcesRemain', 'Some resources are remaining', items);
};

const finalizers = (kinds: readonly KindLeft[]): readonly Told[] => {
  const counts = new Map<string, number>();
  for (const kind of kinds)
    for (const [name, count] of kind.finalizers) counts.set(name, (counts.get(name) ?? 0) + count);
  const items = [...counts].map(([name, count]) => `${name} in ${count} resource instances`);
  const intro = 'Some content in the namespace has finalizers remaining';
  return wrong('NamespaceFinalizersRemaining', 'SomeFinalizersRemain', intro, items);
};

const told = (before: Condition | undefined, next: Told, now: EpochMs): Condition => {
  const isSame = before?.status === next.status;
  const lastTransitionTime = (isSame ? before.lastTransitionTime : undefined) ?? toTime(now);
  return { ...next, lastTransitionTime };
};

const isSaid = (before: Condition | undefined, { status, reason, message }: Told): boolean =>
  before?.status === status && before.reason === reason && before.message === message;

/**
 * The namespace with what a look found; the same object if it says so already. While pods are left, `kinds` has nothing else: the
 * conditions then say which pods are left, and what holds them, where Kubernetes says that nothing is (kubernetes#138208).
 */
export const withDeletionConditions = (
  namespace: Namespace,
  kinds: readonly KindLeft[],
  now: EpochMs,
): Namespace => {
  const { conditions = [], ...status } = namespace.status ?? {};
  const problems = [...failures(kinds), ...remaining(kinds), ...finalizers(kinds)];
  const wanted = FINE.map((one) => problems.find(({ type }) => type === one.type) ?? one);
  const find = (type: string) => conditions.find((one) => one.type === type);
  if (status.phase === 'Terminating' && wanted.every((one) => isSaid(find(one.type), one))) return namespace;
  const others = conditions.filter(({ type }) => !FINE.some((one) => one.type === type));
  const next = [...others, ...wanted.map((one) => told(find(one.type), one, now))];
  return { ...namespace, status: { ...status, phase: 'Terminating', conditions: next } };
};
