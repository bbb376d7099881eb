/** One look at a ReplicaSet within its turn: reads it and its pods, decides, writes. */

import { optional } from '../../shared/kube/values/optional.ts';
import type { EventRecorder } from '../../shared/ports/process/event-recorder.ts';
import { podFromTemplate } from '../../shared/rules/workloads/children/pod-from-template.ts';
import { nextAvailableAt } from '../../shared/rules/workloads/children/pod-state.ts';
import {
  minReadySecondsOf,
  type ReplicaFailure,
  withReplicaSetStatus,
} from '../../shared/rules/workloads/replica-set/replica-set-status.ts';
import { decideFenced, type OwnerTurn } from '../../shared/store/turns/owner-turns.ts';
import type { ChildDeps } from '../owners/children.ts';
import { claimRows, rowsOf } from '../owners/claims.ts';
import { createPods, deletePods, refusalOf } from '../owners/owned-pods.ts';
import { recordPodEvents } from '../owners/pod-events.ts';
import type { LookAtOwner, OwnerLook } from '../owners/reconcile-owner.ts';
import { readView, type View, type ViewDeps, writesPods } from './view.ts';

/** The service account of the controller, and the component of its Events. */
const ACCOUNT = 'replicaset-controller';

export interface LookDeps extends ChildDeps, Pick<ViewDeps, 'ownerEdges'> {
  readonly recorder: EventRecorder;
}

export interface LookReport extends OwnerLook {
  readonly created: number;
  readonly deleted: number;
  readonly adopted: number;
  readonly released: number;
}

const NOTHING_DONE: LookReport = {
  created: 0,
  deleted: 0,
  adopted: 0,
  released: 0,
  hasMore: false,
  isStatusWritten: false,
};

/** Writes the status if the owner is still as it was read; if not, its change has sent a message. */
const settle = async (deps: LookDeps, view: View, failure?: ReplicaFailure): Promise<LookReport> => {
  const { row, owner, decision } = view;
  const result = await deps.writer.write(row.key, (stored, now) => {
    if (stored?.revision !== row.revision) return undefined;
    const next = withReplicaSetStatus(owner, decision.active, failure, now);
    return next === owner ? undefined : { next, writer: 'controller' };
  });
  const isStatusWritten = result.outcome === 'written';
  const wakeAt = nextAvailableAt(decision.active, minReadySecondsOf(owner), deps.clock.now());
  return { ...NOTHING_DONE, isStatusWritten, ...optional('wakeAt', wakeAt) };
};

const act = async (deps: LookDeps, view: View, turn: OwnerTurn): Promise<LookReport> => {
  const write = { turn: await turn.fence() };
  const { owner, decision } = view;
  const { adopt, release, missing, create } = decision;
  const pods = { adopt: rowsOf(view.pods, adopt), release: rowsOf(view.pods, release) };
  await claimRows(deps, view, pods, write);
  const given = Array.from({ length: create }, () => podFromTemplate(owner, owner.spec?.template));
  const made = await createPods(deps, ACCOUNT, given, turn, write);
  const gone = await deletePods(deps, rowsOf(view.pods, decision.delete), turn, write);
  await recordPodEvents(deps.recorder, view, ACCOUNT, made, gone);
  const refusal = refusalOf(made);
  return {
    ...(await settle(deps, view, refusal && { reason: 'FailedCreate', message: refusal.message })),
    created: made.filter((one) => 'pod' in one).length,
    deleted: gone.length,
    adopted: adopt.length,
    released: release.length,
    hasMore: made.every((one) => 'pod' in one) && Math.abs(missing) > create + decision.delete.length,
    ...(refusal ? { failure: refusal.message } : {}),
  };
};

/** Looks at a ReplicaSet. */
export const look: LookAtOwner<LookDeps, LookReport> = async (deps, owner, candidates, turn) => {
  const view = await decideFenced(turn, () => readView(deps, owner, candidates), writesPods);
  if (!view) return NOTHING_DONE;
  return writesPods(view) ? act(deps, view, turn) : settle(deps, view);
};
