/** Takes the finalizer off pods that are counted. */
import type { Pod } from '../../shared/kube/types/core.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { liveRow } from '../../shared/ports/store/rows.ts';
import { isReadyToGo, podGraceSeconds, withDeletion } from '../../shared/rules/pods/deletion.ts';
import { untracked } from '../../shared/rules/workloads/job/job-pods.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import { TurnLost } from '../../shared/store/turns/owner-turns.ts';
import type { ObjectWrite } from '../../shared/store/writer/object-writer.ts';
import { AT_ONCE, type ChildDeps, type ChildWrite } from '../owners/children.ts';

/** How pods are let go of. */
export interface LettingGo {
  /** Absent for a pod that belongs to nobody. */
  readonly write?: ChildWrite;
  /** Called before each pod, to keep the turn. */
  readonly keep?: () => Promise<void>;
  /** Whether the pods are deleted, too, in the same write: none is lost or counted twice in between. */
  readonly deletes?: boolean;
  /** Whether to let go of a pod as it is stored then. */
  readonly mayGo?: (pod: Pod) => boolean;
}

/** What becomes of a pod that is let go of; `undefined`: nothing. */
const freed = (
  pod: Pod,
  deletes: boolean,
  now: EpochMs,
): Pick<ObjectWrite, 'next' | 'lastState'> | undefined => {
  const free = untracked(pod);
  const next = deletes ? withDeletion(free, podGraceSeconds(free), now) : free;
  if (next.metadata.deletionTimestamp !== undefined && isReadyToGo(next))
    return { next: 'delete', lastState: next };
  return next === pod ? undefined : { next };
};

/** Lets go of pods that still have their uid, and returns those that were changed. Throws `TurnLost`. */
export const letGo = async (
  { writer }: Pick<ChildDeps, 'writer'>,
  pods: readonly LiveRow[],
  { write, keep = async () => {}, deletes = false, mayGo = () => true }: LettingGo,
): Promise<readonly LiveRow[]> => {
  const conditions = { writer: 'controller' as const, ...(write ? { turn: write.turn } : {}) };
  const gone: LiveRow[] = [];
  await inParallel(pods, AT_ONCE, async (row) => {
    await keep();
    const result = await writer.write(row.key, (stored, now) => {
      const live = liveRow(stored);
      const pod = live?.uid === row.uid ? (live.object as Pod) : undefined;
      const change = pod && mayGo(pod) ? freed(pod, deletes, now) : undefined;
      return change && { ...change, ...conditions };
    });
    if (result.outcome === 'checkFailed') throw new TurnLost('another run has the turn');
    if (result.outcome === 'written') gone.push(row);
  });
  return gone;
};
