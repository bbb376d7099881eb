/** Where a daemon pod runs or is to run, and what came before it there. */
import type { NodeAffinity } from '../../../kube/types/affinity.ts';
import type { Pod } from '../../../kube/types/core.ts';
import { schedulingSpec } from '../../scheduling/pods/scheduling-spec.ts';

/** Annotation of a pod: how many pods before it failed on the node soon after they were created, one after the other. */
export const FAILURES = 'rollcall.dev/failed-daemon-pods';

/** What a pod requires of nodes that is to run on this one. */
export const pinnedTo = (
  node: string,
): NonNullable<NodeAffinity['requiredDuringSchedulingIgnoredDuringExecution']> => ({
  nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
});

/** The node where a pod runs or is to run: the one that it is bound to, or pinned to (W-112). */
export const targetNode = (pod: Pod): string | undefined => {
  if (pod.spec.nodeName) return pod.spec.nodeName;
  const { affinity } = schedulingSpec(pod);
  const terms =
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  for (const { key, operator, values = [] } of terms.flatMap(({ matchFields = [] }) => matchFields))
    if (key === 'metadata.name' && operator === 'In' && values.length === 1) return values[0];
  return undefined;
};

/** How many pods failed on the node before this one. */
export const failuresBefore = ({ metadata: { annotations } }: Pod): number => {
  const failures = Number(annotations?.[FAILURES] ?? 0);
  return Number.isSafeInteger(failures) && failures > 0 ? failures : 0;
};
