/** Writes of the pods of an owner, within its turn. */

import { podStrategy } from '../../shared/kinds/pods/pods.ts';
import type { StatusError } from '../../shared/kube/errors/status-error.ts';
import type { Pod } from '../../shared/kube/types/core.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { slowStartBatches } from '../../shared/rules/workloads/replica-set/slow-start.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import type { OwnerTurn } from '../../shared/store/turns/owner-turns.ts';
import { isNamespaceTerminating } from '../../shared/store/writer/namespace-guard.ts';
import {
  AT_ONCE,
  type ChildDeps,
  type ChildWrite,
  type ControllerAccount,
  createChild,
  deleteChild,
  isRefusal,
} from './children.ts';

/** A new pod (`undefined`: a pod of its name is there), or why it was refused. */
export type Made = { readonly pod: Pod | undefined } | { readonly error: StatusError };

/** Creates one pod as the API would, or says why it is refused. Throws `TurnLost`, and if a read or write fails. */
export const createPod = async (
  deps: ChildDeps,
  account: ControllerAccount,
  given: Pod,
  write: ChildWrite,
): Promise<Made> => {
  try {
    return { pod: await createChild(deps, podStrategy, account, given, write) };
  } catch (error) {
    if (isRefusal(error)) return { error };
    throw error;
  }
};

/** Creates pods in growing batches, and ends with the first batch in which one is refused. */
export const createPods = async (
  deps: ChildDeps,
  account: ControllerAccount,
  given: readonly Pod[],
  turn: OwnerTurn,
  write: ChildWrite,
): Promise<readonly Made[]> => {
  const made: Made[] = [];
  let from = 0;
  for (const size of slowStartBatches(given.length)) {
    const batch = await inParallel(given.slice(from, from + size), AT_ONCE, async (pod) => {
      await turn.keep();
      return createPod(deps, account, pod, write);
    });
    made.push(...batch);
    from += size;
    if (batch.some((one) => 'error' in one)) break;
  }
  return made;
};

/** A pod by key and uid. */
export type PodName = Pick<LiveRow, 'key' | 'uid'>;

/** Deletes pods of which `mayGo` says so by what is stored then, and returns those whose deletion began. */
export const deletePods = async <P extends PodName>(
  deps: ChildDeps,
  pods: readonly P[],
  turn: OwnerTurn,
  write: ChildWrite,
  mayGo: (read: P, stored: Pod) => boolean = () => true,
): Promise<readonly P[]> => {
  const gone: P[] = [];
  await inParallel(pods, AT_ONCE, async (pod) => {
    await turn.keep();
    const isAsRead = (stored: Pod): boolean => mayGo(pod, stored);
    if (await deleteChild(deps, podStrategy, pod, write, isAsRead)) gone.push(pod);
  });
  return gone;
};

/** The first refusal; none if the namespace is being deleted, because nobody has to mend that. */
export const refusalOf = (made: readonly Made[]): StatusError | undefined =>
  made.flatMap((one) => ('error' in one ? [one.error] : [])).find((error) => !isNamespaceTerminating(error));
