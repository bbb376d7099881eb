/** Which pods leave a node because of its taints, when, and by which toleration. */

import { printable } from '../../kube/text/printable.ts';
import type { Node, Pod, Taint } from '../../kube/types/core.ts';
import { optional } from '../../kube/values/optional.ts';
import { type EpochMs, parseTime } from '../../kube/values/time.ts';
import { type NoExecuteTaint, noExecuteTaints, taintsOf } from '../nodes/taints.ts';
import { decidePodEviction, type PodToEvict } from '../pods/taint-eviction.ts';
import { firstTolerating } from '../pods/tolerations.ts';
import { shutdownReportOf } from '../shutdown/shutdown-report.ts';
import { withoutSilence } from '../shutdown/taints-that-evict.ts';
import { isActive } from '../workloads/children/pod-state.ts';
import { taintName } from './taint-name.ts';
import { spanText, timeOfDay } from './units.ts';

/** A pod that will be deleted because of its node's NoExecute taints. */
export interface PodEviction {
  readonly namespace: string;
  readonly name: string;
  /** When it will be deleted. */
  readonly fireAt: EpochMs;
  /** When its toleration began to run; absent where only the end is known. */
  readonly startAt?: EpochMs;
  /** The toleration that decides, such as `tolerates unreachable for 15s, tainted at 15:04:05`. */
  readonly reason: string;
}

/** Looks up the stored deadline of a pod. */
export type PodDeadlines = (pod: Pod) => { readonly uid: string; readonly fireAt: EpochMs } | undefined;

const boundAtOf = ({ status }: Pod): EpochMs | undefined => {
  const placed = status?.conditions?.find(({ type, status: is }) => type === 'PodScheduled' && is === 'True');
  return parseTime(placed?.lastTransitionTime ?? '');
};

const toEvict = (pod: Pod): PodToEvict => ({
  tolerations: pod.spec.tolerations ?? [],
  uid: pod.metadata.uid ?? '',
  ...optional('boundAt', boundAtOf(pod)),
});

/** A taint without a time counts from `now` (ms) on, as for a controller that has just seen it. */
const factOf = ({ key, value, timeAdded }: Taint, now: EpochMs): NoExecuteTaint => ({
  key,
  ...optional('value', value),
  since: parseTime(timeAdded ?? '') ?? now,
});

type Due = Pick<PodEviction, 'fireAt' | 'startAt'>;

/** When the pod leaves; `undefined`: it stays. */
const dueOf = (
  pod: Pod,
  taints: readonly NoExecuteTaint[],
  deadlines: PodDeadlines | undefined,
  now: EpochMs,
): Due | undefined => {
  const stored = deadlines?.(pod);
  if (deadlines) return stored?.uid === pod.metadata.uid ? stored && { fireAt: stored.fireAt } : undefined;
  const decision = decidePodEviction(toEvict(pod), { noExecute: taints }, undefined, now);
  if (decision.action === 'wait')
    return { fireAt: decision.deadline.fireAt, startAt: decision.deadline.start };
  return decision.action === 'evict' ? { fireAt: decision.dueAt } : undefined;
};

const sinceText = ({ timeAdded }: Taint): string => {
  const at = parseTime(timeAdded ?? '');
  return at === undefined ? '' : `, tainted at ${timeOfDay(at)}`;
};

/** The toleration that decides how long the pod stays, as text. */
const reasonOf = ({ spec }: Pod, taints: readonly Taint[]): string => {
  const used = taints.map((taint) => ({ taint, toleration: firstTolerating(spec.tolerations ?? [], taint) }));
  const hated = used.find(({ toleration }) => toleration === undefined);
  if (hated) return `does not tolerate ${taintName(hated.taint.key)}${sinceText(hated.taint)}`;
  const timed = used.flatMap(({ taint, toleration }) =>
    toleration?.tolerationSeconds === undefined ? [] : [{ taint, seconds: toleration.tolerationSeconds }],
  );
  const [shortest] = timed.toSorted((a, b) => a.seconds - b.seconds);
  return shortest
    ? `tolerates ${taintName(shortest.taint.key)} for ${spanText(shortest.seconds * 1000)}${sinceText(shortest.taint)}`
    : 'its timer ended';
};

/** The pods of the node that leave, at `now` (ms), the soonest first. A node that has reported its shutdown evicts none for its own silence (J-138). */
export const podEvictions = (
  pods: readonly Pod[],
  node: Node,
  deadlines: PodDeadlines | undefined,
  now: EpochMs,
): readonly PodEviction[] => {
  const all = noExecuteTaints(taintsOf(node));
  const evicting = shutdownReportOf(node) ? withoutSilence(all) : all;
  if (evicting.length === 0) return [];
  const facts = evicting.map((taint) => factOf(taint, now));
  const leaving = pods.filter(isActive).flatMap((pod) => {
    const { namespace = '', name } = pod.metadata;
    const due = dueOf(pod, facts, deadlines, now);
    if (!due) return [];
    const texts = { namespace: printable(namespace), name: printable(name) };
    return [{ ...texts, ...due, reason: printable(reasonOf(pod, evicting)) }];
  });
  return leaving.toSorted((a, b) => a.fireAt - b.fireAt);
};
