/** Writes of the pods of an owner, within its turn. */
import type { Pod } from '../../api/core.ts';
import type { ApiObject, LabelSelector } from '../../api/meta.ts';
import { StatusError } from '../../api/status-error.ts';
import { adopted, claimChild, released } from '../../domain/workloads/children.ts';
import { slowStartBatches } from '../../domain/workloads/slow-start.ts';
import type { LiveRow } from '../../ports/rows.ts';
import { inParallel } from '../../state/in-parallel.ts';
import type { OwnerTurn } from '../../state/owner-turns.ts';
import { podStrategy } from '../strategies/pods.ts';
import {
  type ChildDeps,
  type ChildWrite,
  type ControllerAccount,
  changeChild,
  createChild,
  deleteChild,
  isNamespaceTerminating,
} from './children.ts';

/** Pods written at the same time: each checks one of eight copies of the turn's number. */
export const AT_ONCE = 8;

/** A new pod (`undefined`: a pod of its name is there), or why it was refused. */
export type Made = { readonly pod: Pod | undefined } | { readonly error: StatusError };

/** Pods to adopt and to release. */
export interface PodClaims {
  readonly adopt: readonly LiveRow[];
  readonly release: readonly LiveRow[];
}

/** An owner of pods, as it was read. */
export interface OwnerRow {
  readonly row: LiveRow;
  readonly owner: ApiObject & { readonly spec?: { readonly selector?: LabelSelector } };
}

/** Adopts and releases pods. Each adoption requires the owner as it was read, so they go one after the other. */
export const claimPods = async (
  deps: ChildDeps,
  { owner, row }: OwnerRow,
  { adopt, release }: PodClaims,
  write: ChildWrite,
): Promise<void> => {
  const whileThere = { ...write, rows: [{ key: row.key, revision: row.revision }] };
  const isOrphan = (pod: Pod): boolean => claimChild(owner, owner.spec?.selector, pod) === 'adopt';
  for (const pod of adopt)
    await changeChild(deps, pod, (one: Pod) => (isOrphan(one) ? adopted(owner, one) : one), whileThere);
  await inParallel(release, AT_ONCE, (pod) =>
    changeChild(deps, pod, (one: Pod) => released(owner, one), write),
  );
};

/** Whether the error is one that a client would be told and has to mend, such as a priority class that does not exist. */
const isRefusal = (error: unknown): error is StatusError =>
  error instanceof StatusError && error.code < 500 && error.code !== 429;

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

/** Deletes pods, and returns those whose deletion began. */
export const deletePods = async (
  deps: ChildDeps,
  pods: readonly LiveRow[],
  turn: OwnerTurn,
  write: ChildWrite,
): Promise<readonly LiveRow[]> => {
  const gone: LiveRow[] = [];
  await inParallel(pods, AT_ONCE, async (pod) => {
    await turn.keep();
    if (await deleteChild(deps, podStrategy, pod, write)) gone.push(pod);
  });
  return gone;
};

/** The first refusal; none if the namespace is being deleted, because nobody has to mend that. */
export const refusalOf = (made: readonly Made[]): StatusError | undefined =>
  made.flatMap((one) => ('error' in one ? [one.error] : [])).find((error) => !isNamespaceTerminating(error));
