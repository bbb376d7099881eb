import type { Pod } from '../../shared/api/core.ts';
import type { EpochMs } from '../../shared/api/time.ts';
import type { PodEvictionDecision, StoredDeadline } from '../../shared/domain/taint-eviction.ts';
import { decidePodEviction } from '../../shared/domain/taint-eviction.ts';
import type { NoExecuteFacts } from '../../shared/domain/taints.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { ControlStore, PodDeadline } from '../../shared/ports/control-store.ts';
import type { EventRecorder } from '../../shared/ports/event-recorder.ts';
import type { LiveRow, ObjectLog, Row } from '../../shared/ports/object-log.ts';
import type { ObjectWriter } from '../../shared/state/object-writer.ts';
import { cancellingDeletion, markingForDeletion } from './events.ts';
import { markedForDeletion } from './marked-pod.ts';

/** Milliseconds for which a deadline outlives its instant, in case it is forgotten. */
const DEADLINE_RETENTION_MS = 24 * 60 * 60_000;

export interface EvictPodDeps {
  readonly clock: Clock;
  readonly log: Pick<ObjectLog, 'read'>;
  readonly control: Pick<ControlStore, 'deadline' | 'storeDeadline' | 'deleteDeadline'>;
  readonly writer: ObjectWriter;
  readonly recorder: EventRecorder;
}

/** The node as it was read, consistently; `exists` is false for one that is gone, whose taints are none. */
export interface TaintedNode extends NoExecuteFacts {
  readonly name: string;
  readonly exists: boolean;
}

export type PodOutcome =
  | { readonly outcome: 'none' | 'cleared' }
  /** The node's taints are no longer those that were read: their change wakes us again. */
  | { readonly outcome: 'conflict' }
  | { readonly outcome: 'evicted'; readonly lateMs: number }
  | { readonly outcome: 'waiting'; readonly fireAt: EpochMs; readonly isNew: boolean };

const NONE: PodOutcome = { outcome: 'none' };

/** The pod if it is still this one, on this node and not terminating. */
const boundPod = (row: Row | undefined, uid: string, node: TaintedNode): LiveRow | undefined =>
  row?.state === 'live' &&
  row.uid === uid &&
  row.facts.pod?.nodeName === node.name &&
  row.facts.pod.deletionTimestamp === undefined
    ? row
    : undefined;

const decide = (
  { uid, facts }: LiveRow,
  node: TaintedNode,
  stored: StoredDeadline | undefined,
  now: EpochMs,
): PodEvictionDecision => decidePodEviction({ tolerations: [], ...facts.pod, uid }, node, stored, now);

const targetOf = ({ key: { namespace, name }, uid }: LiveRow) =>
  ({ kind: 'Pod', namespace, name, uid }) as const;

const forget = ({ control }: EvictPodDeps, { key, uid }: LiveRow): Promise<void> =>
  control.deleteDeadline(key.namespace, key.name, uid);

/** Decides once more on the row that the write is conditional on; the commit also requires the taints that were read. */
const evict = async (
  deps: EvictPodDeps,
  pod: LiveRow,
  node: TaintedNode,
  stored: PodDeadline | undefined,
): Promise<PodOutcome> => {
  let lateMs = 0;
  const result = await deps.writer.write(pod.key, (row, now) => {
    const fresh = boundPod(row, pod.uid, node);
    const decision = fresh && decide(fresh, node, stored, now);
    if (decision?.action !== 'evict') return undefined;
    lateMs = now - decision.dueAt;
    const next = markedForDeletion(fresh?.object as Pod, now);
    return { next, writer: 'controller', check: { node: node.name, noExecute: node.noExecute } };
  });
  if (result.outcome === 'checkFailed') return { outcome: 'conflict' };
  if (result.outcome === 'unchanged') return NONE;
  // The event first, for it cannot fail: should the deadline stay, a sweep finds the pod terminating.
  await deps.recorder.record(targetOf(pod), markingForDeletion(pod.key), 'marking');
  if (stored) await forget(deps, pod);
  return { outcome: 'evicted', lateMs };
};

/** The first deadline stands. One of this pod that no longer does would be handed back, so it goes first. */
const store = async (
  deps: EvictPodDeps,
  pod: LiveRow,
  node: TaintedNode,
  { stored, deadline }: { readonly stored: PodDeadline | undefined; readonly deadline: StoredDeadline },
): Promise<PodOutcome> => {
  const { namespace, name } = pod.key;
  if (stored?.uid === pod.uid) await forget(deps, pod);
  const next = { ...deadline, namespace, name, nodeName: node.name };
  const { fireAt } = await deps.control.storeDeadline(next, deadline.fireAt + DEADLINE_RETENTION_MS);
  return { outcome: 'waiting', fireAt, isNew: true };
};

const clear = async (
  deps: EvictPodDeps,
  pod: LiveRow,
  node: TaintedNode,
  stored: PodDeadline | undefined,
): Promise<PodOutcome> => {
  await forget(deps, pod);
  // The pods of a node that is gone are deleted all the same, by the garbage collector.
  if (node.exists)
    await deps.recorder.record(
      targetOf(pod),
      cancellingDeletion(pod.key),
      `cancelling/${stored?.fireAt ?? 0}`,
    );
  return { outcome: 'cleared' };
};

const act = async (
  deps: EvictPodDeps,
  pod: LiveRow,
  node: TaintedNode,
  stored: PodDeadline | undefined,
): Promise<PodOutcome> => {
  const decision = decide(pod, node, stored, deps.clock.now());
  switch (decision.action) {
    case 'none':
      return NONE;
    case 'evict':
      return evict(deps, pod, node, stored);
    case 'clear':
      return clear(deps, pod, node, stored);
    case 'wait':
      return decision.isNew
        ? store(deps, pod, node, { stored, deadline: decision.deadline })
        : { outcome: 'waiting', fireAt: decision.deadline.fireAt, isNew: false };
  }
};

const isQuiet = (decision: PodEvictionDecision): boolean =>
  decision.action === 'none' || (decision.action === 'wait' && !decision.isNew);

/**
 * Decides about one pod as an index shows it and, where something is to be done, once more by a consistent read.
 * A pod that is terminating already is left alone.
 */
export const settlePod = async (
  deps: EvictPodDeps,
  seen: LiveRow,
  node: TaintedNode,
): Promise<PodOutcome> => {
  if (!boundPod(seen, seen.uid, node)) return NONE;
  const stored = await deps.control.deadline(seen.key.namespace, seen.key.name);
  if (isQuiet(decide(seen, node, stored, deps.clock.now()))) return act(deps, seen, node, stored);
  const pod = boundPod(await deps.log.read(seen.key), seen.uid, node);
  return pod ? act(deps, pod, node, stored) : NONE;
};
