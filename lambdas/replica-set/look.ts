/** One look at a ReplicaSet within its turn: reads it and its pods, decides, writes. */
import type { EpochMs } from '../../shared/api/time.ts';
import type { ChildDeps } from '../../shared/apiserver/children/children.ts';
import { isNamespaceTerminating } from '../../shared/apiserver/children/children.ts';
import {
  type ChildEvent,
  createdPod,
  deletedPod,
  failedToCreate,
} from '../../shared/domain/workloads/child-events.ts';
import { nextAvailableAt } from '../../shared/domain/workloads/pod-state.ts';
import {
  minReadySecondsOf,
  type ReplicaFailure,
  withReplicaSetStatus,
} from '../../shared/domain/workloads/replica-set-status.ts';
import type { EventRecorder } from '../../shared/ports/event-recorder.ts';
import type { LiveRow } from '../../shared/ports/rows.ts';
import { inParallel } from '../../shared/state/in-parallel.ts';
import { decideFenced, type OwnerTurn } from '../../shared/state/owner-turns.ts';
import { ACCOUNT, AT_ONCE, claimPods, createPods, deletePods, type Made } from './pods.ts';
import { type Named, readView, type View, type ViewDeps, writesPods } from './view.ts';

/** The most Events of one look. Kubernetes' recorder drops those of one object after 25, too. */
const MOST_EVENTS = 25;

export interface LookDeps extends ChildDeps, Pick<ViewDeps, 'ownerEdges'> {
  readonly recorder: EventRecorder;
}

export interface LookReport {
  readonly created: number;
  readonly deleted: number;
  readonly adopted: number;
  readonly released: number;
  /** Why a pod could not be created; the look is to be repeated later. */
  readonly failure?: string;
  /** Pods are still missing or too many, beyond the limit of one look. */
  readonly hasMore: boolean;
  readonly isStatusWritten: boolean;
  /** When the next ready pod becomes available (ms). */
  readonly wakeAt?: EpochMs;
}

const NOTHING_DONE: LookReport = {
  created: 0,
  deleted: 0,
  adopted: 0,
  released: 0,
  hasMore: false,
  isStatusWritten: false,
};

const eventsOf = (
  made: readonly Made[],
  gone: readonly LiveRow[],
): readonly (readonly [ChildEvent, string])[] => [
  ...made.map((one) =>
    'error' in one
      ? ([failedToCreate(one.error.message), one.error.message] as const)
      : ([createdPod(one.pod?.metadata.name ?? ''), one.pod?.metadata.uid ?? ''] as const),
  ),
  ...gone.map(({ key, uid }) => [deletedPod(key.name), uid] as const),
];

const recordEvents = async (
  { recorder }: LookDeps,
  { row: { key, uid } }: View,
  made: readonly Made[],
  gone: readonly LiveRow[],
): Promise<void> => {
  const { namespace, name } = key;
  const target = { kind: 'ReplicaSet', apiVersion: 'apps/v1', namespace, name, uid };
  await inParallel(eventsOf(made, gone).slice(0, MOST_EVENTS), AT_ONCE, ([event, occasion]) =>
    recorder.record(target, { ...event, component: ACCOUNT }, occasion),
  );
};

/** The first error; none if the namespace is being deleted, because nobody has to mend that. */
const failureOf = (made: readonly Made[]): ReplicaFailure | undefined => {
  const errors = made.flatMap((one) => ('error' in one ? [one.error] : []));
  const error = errors.find((one) => !isNamespaceTerminating(one));
  return error && { reason: 'FailedCreate', message: error.message };
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
  return { ...NOTHING_DONE, isStatusWritten, ...(wakeAt === undefined ? {} : { wakeAt }) };
};

const act = async (deps: LookDeps, view: View, turn: OwnerTurn): Promise<LookReport> => {
  const write = { turn: await turn.fence() };
  await claimPods(deps, view, write);
  const made = await createPods(deps, view, turn, write);
  const gone = await deletePods(deps, view, turn, write);
  await recordEvents(deps, view, made, gone);
  const failure = failureOf(made);
  const { adopt, release, missing, create, delete: surplus } = view.decision;
  return {
    ...(await settle(deps, view, failure)),
    created: made.filter((one) => 'pod' in one).length,
    deleted: gone.length,
    adopted: adopt.length,
    released: release.length,
    hasMore: made.every((one) => 'pod' in one) && Math.abs(missing) > create + surplus.length,
    ...(failure ? { failure: failure.message } : {}),
  };
};

/**
 * Looks at the ReplicaSet with this uid. `candidates`: pods without controller that it may adopt. Throws `TurnLost`, and if a read or
 * write fails.
 */
export const look = async (
  deps: LookDeps,
  owner: Named,
  candidates: readonly Named[],
  turn: OwnerTurn,
): Promise<LookReport> => {
  const view = await decideFenced(turn, () => readView(deps, owner, candidates), writesPods);
  if (!view) return NOTHING_DONE;
  return writesPods(view) ? act(deps, view, turn) : settle(deps, view);
};
