/** The pods of a node as rows: how long each may stay, and why. Pure. */
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import { type EpochMs, parseTime } from '../../../shared/kube/values/time.ts';
import { type PodEviction, podEvictions } from '../../../shared/rules/roll-call/pod-evictions.ts';
import { untilText } from '../../../shared/rules/roll-call/units.ts';

/** A pod of a node. */
export interface PodRow {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  /** What becomes of it; '' if nothing does. */
  readonly text: string;
  readonly why: string;
  /** How much of its time is left, 0 to 1; absent: nobody counts. */
  readonly left?: number;
}

const shareOf = (at: EpochMs, from: EpochMs | undefined, now: EpochMs): number =>
  from === undefined || at <= from ? 0 : Math.min(1, Math.max(0, (at - now) / (at - from)));

type Fate = Pick<PodRow, 'text' | 'why' | 'left'>;

const NOTHING: Fate = { text: '', why: '' };

const isAnswering = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;

/** `deletionTimestamp` is the end of the time that a pod has to stop. */
const stopping = ({ metadata }: Pod, node: Node, now: EpochMs): Fate => {
  const until = parseTime(metadata.deletionTimestamp ?? '') ?? now;
  const graceMs = 1000 * Number(metadata['deletionGracePeriodSeconds'] ?? 0);
  if (!isAnswering(node))
    return { text: 'told to stop', why: 'it is there until its node answers, or is deleted' };
  const time = until > now ? `it is killed ${untilText(until, now)}` : 'its time to stop is over';
  return { text: 'is stopping', why: time, left: shareOf(until, until - graceMs, now) };
};

const leaving = ({ fireAt, startAt, reason }: PodEviction, now: EpochMs): Fate => ({
  text: `leaves ${untilText(fireAt, now)}`,
  why: reason,
  left: shareOf(fireAt, startAt, now),
});

const hasEnded = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Those that leave come first, the soonest first. */
export const podRows = (pods: readonly Pod[], node: Node, now: EpochMs): readonly PodRow[] => {
  const evictions = new Map(
    podEvictions(pods, node, undefined, now).map((one) => [`${one.namespace}/${one.name}`, one]),
  );
  const isEvicting = node.spec?.taints?.some(({ effect }) => effect === 'NoExecute') === true;
  const stays: Fate = isEvicting ? { text: 'stays', why: 'it tolerates the taints of the node' } : NOTHING;
  const fateOf = (pod: Pod, eviction: PodEviction | undefined): Fate => {
    if (hasEnded(pod)) return NOTHING;
    if (pod.metadata.deletionTimestamp !== undefined) return stopping(pod, node, now);
    return eviction ? leaving(eviction, now) : stays;
  };
  return pods
    .map((pod) => {
      const { namespace = '', name } = pod.metadata;
      const eviction = evictions.get(`${namespace}/${name}`);
      const row = { namespace, name, phase: pod.status?.phase ?? 'Pending', ...fateOf(pod, eviction) };
      return { row, at: eviction?.fireAt ?? Number.POSITIVE_INFINITY };
    })
    .toSorted((a, b) => a.at - b.at || (a.row.name < b.row.name ? -1 : 1))
    .map(({ row }) => row);
};
