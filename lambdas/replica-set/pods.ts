/** Writes of the pods of a ReplicaSet, within its turn. */
import type { Pod } from '../../shared/api/core.ts';
import { StatusError } from '../../shared/api/status-error.ts';
import {
  type ChildDeps,
  type ChildWrite,
  changeChild,
  createChild,
  deleteChild,
} from '../../shared/apiserver/children/children.ts';
import { podStrategy } from '../../shared/apiserver/strategies/pods.ts';
import { adopted, claimChild, released } from '../../shared/domain/workloads/children.ts';
import { podFromTemplate } from '../../shared/domain/workloads/pod-from-template.ts';
import { slowStartBatches } from '../../shared/domain/workloads/replica-set.ts';
import type { LiveRow } from '../../shared/ports/rows.ts';
import { inParallel } from '../../shared/state/in-parallel.ts';
import type { OwnerTurn } from '../../shared/state/owner-turns.ts';
import type { View } from './view.ts';

/** The service account of the controller, and the component of its Events. */
export const ACCOUNT = 'replicaset-controller';
/** Pods written at the same time: each checks one of eight copies of the turn's number. */
export const AT_ONCE = 8;

/** A new pod, or why it was refused. */
export type Made = { readonly pod: Pod | undefined } | { readonly error: StatusError };

const rowsOf = ({ pods }: View, chosen: readonly Pod[]): readonly LiveRow[] =>
  chosen.flatMap(({ metadata }) => pods.get(metadata.uid ?? '') ?? []);

/** Adopts and releases pods. Each adoption requires the owner as it was read, so they go one after the other. */
export const claimPods = async (deps: ChildDeps, view: View, write: ChildWrite): Promise<void> => {
  const { owner, row, decision } = view;
  const whileThere = { ...write, rows: [{ key: row.key, revision: row.revision }] };
  const isOrphan = (pod: Pod): boolean => claimChild(owner, owner.spec?.selector, pod) === 'adopt';
  for (const pod of rowsOf(view, decision.adopt))
    await changeChild(deps, pod, (one: Pod) => (isOrphan(one) ? adopted(owner, one) : one), whileThere);
  await inParallel(rowsOf(view, decision.release), AT_ONCE, (pod) =>
    changeChild(deps, pod, (one: Pod) => released(owner, one), write),
  );
};

/** Whether the error is one that a client would be told and has to mend, such as a priority class that does not exist. */
const isRefusal = (error: unknown): error is StatusError =>
  error instanceof StatusError && error.code < 500 && error.code !== 429;

const createPod = async (deps: ChildDeps, { owner }: View, write: ChildWrite): Promise<Made> => {
  try {
    const given = podFromTemplate(owner, owner.spec?.template);
    return { pod: await createChild(deps, podStrategy, ACCOUNT, given, write) };
  } catch (error) {
    if (isRefusal(error)) return { error };
    throw error;
  }
};

/** Creates pods in growing batches, and ends with the first batch in which one is refused. */
export const createPods = async (
  deps: ChildDeps,
  view: View,
  turn: OwnerTurn,
  write: ChildWrite,
): Promise<readonly Made[]> => {
  const made: Made[] = [];
  for (const size of slowStartBatches(view.decision.create)) {
    const batch = Array.from({ length: size });
    made.push(
      ...(await inParallel(batch, AT_ONCE, async () => {
        await turn.keep();
        return createPod(deps, view, write);
      })),
    );
    if (made.some((one) => 'error' in one)) break;
  }
  return made;
};

/** Deletes the surplus pods, and returns those whose deletion began. */
export const deletePods = async (
  deps: ChildDeps,
  view: View,
  turn: OwnerTurn,
  write: ChildWrite,
): Promise<readonly LiveRow[]> => {
  const gone: LiveRow[] = [];
  await inParallel(rowsOf(view, view.decision.delete), AT_ONCE, async (pod) => {
    await turn.keep();
    if (await deleteChild(deps, podStrategy, pod, write)) gone.push(pod);
  });
  return gone;
};
