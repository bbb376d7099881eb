/** Carries out what a StatefulSet has decided. */

import { volumeClaimStrategy } from '../../shared/kinds/storage/volumes.ts';
import type { Pod } from '../../shared/kube/types/core.ts';
import type { PersistentVolumeClaim } from '../../shared/kube/types/storage.ts';
import type { Workload } from '../../shared/kube/types/workloads.ts';
import { claimKey, type LiveRow } from '../../shared/ports/store/rows.ts';
import type { ChildEvent } from '../../shared/rules/workloads/children/child-events.ts';
import { slowStartBatches } from '../../shared/rules/workloads/replica-set/slow-start.ts';
import type { StatefulSetStep } from '../../shared/rules/workloads/stateful-set/stateful-set.ts';
import { withRetention } from '../../shared/rules/workloads/stateful-set/stateful-set-claims.ts';
import {
  claimEvent,
  conflictEvent,
  podEvent,
} from '../../shared/rules/workloads/stateful-set/stateful-set-events.ts';
import { withIdentity } from '../../shared/rules/workloads/stateful-set/stateful-set-pods.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import type { OwnerTurn } from '../../shared/store/turns/owner-turns.ts';
import { isNamespaceTerminating } from '../../shared/store/writer/namespace-guard.ts';
import {
  AT_ONCE,
  type ChildDeps,
  type ChildWrite,
  changeChild,
  createChild,
  isRefusal,
} from '../owners/children.ts';
import { createPod, deletePods } from '../owners/owned-pods.ts';

/** The service account of the controller, and the component of its Events. */
export const ACCOUNT = 'statefulset-controller';

type Step<Do extends StatefulSetStep['do']> = Extract<StatefulSetStep, { readonly do: Do }>;

/** What has become of the steps. */
export interface Done {
  /** With what tells one occasion of the same event from another. */
  readonly events: (readonly [ChildEvent, string])[];
  readonly created: Pod[];
  readonly deleted: Pod[];
  claims: number;
  /** Why the last thing that failed did; look again later. */
  failure?: string;
}

/** What the steps need. */
export interface StepDeps {
  readonly deps: ChildDeps;
  readonly set: Workload;
  readonly turn: OwnerTurn;
  readonly write: ChildWrite;
  readonly done: Done;
  readonly rowOf: (pod: Pod) => LiveRow | undefined;
}

const fail = ({ done }: StepDeps, event: ChildEvent, error: string): void => {
  done.failure = error;
  done.events.push([event, error]);
};

/** Creates a claim of a pod; the reason why it could not be, if it is one that somebody has to mend. */
const createClaim = async (
  steps: StepDeps,
  claim: PersistentVolumeClaim,
  pod: Pod,
): Promise<string | undefined> => {
  const { deps, set, turn, write, done } = steps;
  const { name } = claim.metadata;
  await turn.keep();
  try {
    const made = await createChild(
      deps,
      volumeClaimStrategy,
      ACCOUNT,
      withRetention(set, pod, claim, false),
      write,
    );
    if (!made) return undefined;
    done.claims += 1;
    done.events.push([claimEvent(name, pod.metadata.name, set.metadata.name), made.metadata.uid ?? '']);
    return undefined;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const { message } = error;
    if (!isNamespaceTerminating(error))
      fail(steps, claimEvent(name, pod.metadata.name, set.metadata.name, message), message);
    return `failed to create PVC ${name}: ${message}`;
  }
};

const createClaims = async (
  steps: StepDeps,
  { pod, claims }: Step<'create'>,
): Promise<string | undefined> => {
  for (const claim of claims) {
    const problem = await createClaim(steps, claim, pod);
    if (problem !== undefined) return problem;
  }
  return undefined;
};

/** Creates a pod after its claims. Resolves to whether it is there now. */
const createMember = async (steps: StepDeps, step: Step<'create'>): Promise<boolean> => {
  const { deps, set, turn, write, done } = steps;
  const { name } = step.pod.metadata;
  const failed = (message: string): false => {
    fail(steps, podEvent('create', name, set.metadata.name, message), message);
    return false;
  };
  const problem = await createClaims(steps, step);
  if (problem !== undefined) return failed(problem);
  await turn.keep();
  const made = await createPod(deps, ACCOUNT, step.pod, write);
  if ('error' in made) return isNamespaceTerminating(made.error) ? false : failed(made.error.message);
  if (!made.pod) {
    done.failure = `pods "${name}" already exists`;
    return false;
  }
  done.created.push(made.pod);
  done.events.push([podEvent('create', name, set.metadata.name), made.pod.metadata.uid ?? '']);
  return true;
};

/** Creates pods in growing batches, and ends with the first batch in which one fails. */
const createMembers = async (steps: StepDeps, wanted: readonly Step<'create'>[]): Promise<void> => {
  let from = 0;
  for (const size of slowStartBatches(wanted.length)) {
    const batch = await inParallel(wanted.slice(from, from + size), AT_ONCE, (step) =>
      createMember(steps, step),
    );
    if (batch.includes(false)) return;
    from += size;
  }
};

const deleteMembers = async (
  { deps, set, turn, write, done, rowOf }: StepDeps,
  pods: readonly Pod[],
): Promise<void> => {
  const rows = pods.flatMap((pod) => rowOf(pod) ?? []);
  for (const { object, uid } of await deletePods(deps, rows, turn, write)) {
    done.deleted.push(object as Pod);
    done.events.push([podEvent('delete', object.metadata.name, set.metadata.name), uid]);
  }
};

const relabel = async (
  { deps, set, write, done, rowOf }: StepDeps,
  { pod, ordinal }: Step<'relabel'>,
): Promise<void> => {
  const row = rowOf(pod);
  if (!row) return;
  const now = await changeChild(deps, row, (one: Pod) => withIdentity(one, ordinal), write);
  if (now)
    done.events.push([podEvent('update', pod.metadata.name, set.metadata.name), `relabel-${row.revision}`]);
};

const own = async ({ deps, set, write, done }: StepDeps, step: Step<'own'>): Promise<void> => {
  const { pod, claim, isScaledAway, isConflict } = step;
  const { namespace, name, uid = '', resourceVersion = '' } = claim.metadata;
  await changeChild(
    deps,
    { key: claimKey(namespace, name), uid },
    (one: PersistentVolumeClaim) => withRetention(set, pod, one, isScaledAway),
    write,
  );
  if (isConflict) done.events.push([conflictEvent(name), `${uid}-${resourceVersion}`]);
};

const wait = (steps: StepDeps, { pod, message, isSilent }: Step<'wait'>): void => {
  if (isSilent) steps.done.failure = message;
  else fail(steps, podEvent('create', pod.metadata.name, steps.set.metadata.name, message), message);
};

/** Carries out the steps: claims first, then new pods, then deletions. Throws `TurnLost`, and if a read or write fails. */
export const carryOut = async (steps: StepDeps, wanted: readonly StatefulSetStep[]): Promise<void> => {
  const having = <Do extends StatefulSetStep['do']>(verb: Do): readonly Step<Do>[] =>
    wanted.filter((step): step is Step<Do> => step.do === verb);
  for (const step of having('wait')) wait(steps, step);
  await inParallel(having('own'), AT_ONCE, (step) => own(steps, step));
  await inParallel(having('relabel'), AT_ONCE, (step) => relabel(steps, step));
  await inParallel(having('claim'), AT_ONCE, ({ claim, pod }) => createClaim(steps, claim, pod));
  await createMembers(steps, having('create'));
  await deleteMembers(
    steps,
    having('delete').map(({ pod }) => pod),
  );
};
