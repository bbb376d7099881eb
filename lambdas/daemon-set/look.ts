/** One look at a DaemonSet within its turn: reads it, its pods, its revisions and the Nodes, decides, writes. */

import type { Pod } from '../../shared/kube/types/core.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import { earliest } from '../../shared/kube/values/time.ts';
import type { EventRecorder } from '../../shared/ports/process/event-recorder.ts';
import { endedDaemonPod } from '../../shared/rules/workloads/children/child-events.ts';
import { nextAvailableAt } from '../../shared/rules/workloads/children/pod-state.ts';
import { targetNode } from '../../shared/rules/workloads/daemon-set/daemon-place.ts';
import { daemonPod } from '../../shared/rules/workloads/daemon-set/daemon-pod.ts';
import { DAEMON_SET_REVISIONS } from '../../shared/rules/workloads/daemon-set/daemon-revisions.ts';
import { withDaemonSetStatus } from '../../shared/rules/workloads/daemon-set/daemon-set-status.ts';
import { daemonSummary } from '../../shared/rules/workloads/daemon-set/daemon-summary.ts';
import { decideDaemons } from '../../shared/rules/workloads/daemon-set/decide-daemons.ts';
import { minReadySecondsOf } from '../../shared/rules/workloads/replica-set/replica-set-status.ts';
import { hashOfRevision } from '../../shared/rules/workloads/revisions/controller-revisions.ts';
import { decideFenced, type OwnerTurn } from '../../shared/store/turns/owner-turns.ts';
import type { KnownDependent } from '../../shared/store/writer/dependents.ts';
import type { ChildDeps, ChildWrite } from '../owners/children.ts';
import { claimRows, rowsOf } from '../owners/claims.ts';
import { createPods, deletePods, refusalOf } from '../owners/owned-pods.ts';
import { deleteRevisions } from '../owners/owned-revisions.ts';
import { recordPodEvents } from '../owners/pod-events.ts';
import type { LookAtOwner, OwnerLook } from '../owners/reconcile-owner.ts';
import { ACCOUNT, keepHistory } from './history.ts';
import { readView, type View, type ViewDeps, writesChildren } from './view.ts';

/** The component of the controller's Events. */
const COMPONENT = 'daemonset-controller';

export interface LookDeps extends ChildDeps, ViewDeps {
  readonly objects: ViewDeps['objects'];
  readonly recorder: EventRecorder;
}

export interface LookReport extends OwnerLook {
  readonly created: number;
  readonly deleted: number;
  /** Pods that had ended and were deleted. */
  readonly ended: number;
  /** Pods that the DaemonSet has, and Nodes that it was compared with. */
  readonly pods: number;
  readonly nodes: number;
}

type Done = Pick<LookReport, 'created' | 'deleted' | 'ended' | 'hasMore' | 'failure'>;

const NOTHING_DONE: LookReport = {
  created: 0,
  deleted: 0,
  ended: 0,
  pods: 0,
  nodes: 0,
  hasMore: false,
  isStatusWritten: false,
};

/** Writes the status if the owner is still as it was read; if not, its change has sent a message. */
const settle = async (deps: LookDeps, view: View, collisionCount?: number): Promise<LookReport> => {
  const { row, daemons, decision, rows } = view;
  const result = await deps.writer.write(row.key, (stored, now) => {
    if (stored?.revision !== row.revision) return undefined;
    const next = withDaemonSetStatus(daemons, now, collisionCount);
    return next === daemons.owner ? undefined : { next, writer: 'controller' };
  });
  const pods = [...daemons.pods.values()].flat();
  const availableAt = nextAvailableAt(pods, minReadySecondsOf(daemons.owner), deps.clock.now());
  const wakeAt = earliest([availableAt, ...decision.waits]);
  return {
    ...NOTHING_DONE,
    pods: rows.size,
    nodes: daemons.verdicts.size,
    isStatusWritten: result.outcome === 'written',
    isAlwaysWoken: decision.waits.length > 0,
    ...optional('wakeAt', wakeAt),
  };
};

const isEnded = ({ status }: Pod): boolean => status?.phase === 'Failed' || status?.phase === 'Succeeded';

/** Says which pods are deleted because they have ended. */
const recordEnded = async ({ recorder }: LookDeps, { row, daemons }: View, pods: readonly Pod[]) => {
  const { apiVersion, kind } = daemons.owner;
  const target = { kind, apiVersion, namespace: row.key.namespace, name: row.key.name, uid: row.uid };
  for (const pod of pods)
    await recorder.record(
      target,
      { ...endedDaemonPod(pod, targetNode(pod) ?? ''), component: COMPONENT },
      pod.metadata.uid ?? '',
    );
};

/** Whether a pod still is what the decision was based on. If not, its change sends a message. */
const isAsRead = ({ object }: KnownDependent, stored: Pod): boolean =>
  daemonSummary(object as Pod) === daemonSummary(stored);

/** Deletes pods, then creates pods: a pod that has failed makes room for its successor. */
const act = async (
  deps: LookDeps,
  view: View,
  hash: string,
  turn: OwnerTurn,
  write: ChildWrite,
): Promise<Done> => {
  const { owner } = view.daemons;
  const decision = decideDaemons({ ...view.daemons, hash }, deps.clock.now());
  const ended = decision.delete.filter(isEnded);
  await recordEnded(deps, view, ended);
  const gone = await deletePods(deps, rowsOf(view.rows, decision.delete), turn, write, isAsRead);
  const given = decision.create.map((one) => daemonPod(owner, hash, one));
  const made = await createPods(deps, ACCOUNT, given, turn, write);
  const source = { owner, row: view.row };
  await recordPodEvents(deps.recorder, source, COMPONENT, made, gone);
  const refusal = refusalOf(made);
  return {
    created: made.filter((one) => 'pod' in one).length,
    deleted: gone.length,
    ended: ended.length,
    hasMore: !refusal && decision.hasMore,
    ...(refusal ? { failure: refusal.message } : {}),
  };
};

/** Writes children, then the status by what was read before: the changes of the children send messages. */
const write = async (deps: LookDeps, view: View, turn: OwnerTurn): Promise<LookReport> => {
  const fenced = { turn: await turn.fence() };
  const { adopt, release } = view.claims;
  const pods = { adopt: rowsOf(view.rows, adopt), release: rowsOf(view.rows, release) };
  await claimRows(deps, { owner: view.daemons.owner, row: view.row }, pods, fenced);
  const { revision, collisionCount } = await keepHistory(deps, view, fenced);
  const hash = hashOfRevision(revision, DAEMON_SET_REVISIONS);
  await deleteRevisions(deps, view.surplus, fenced);
  const done = await act(deps, view, hash, turn, fenced);
  const settled = await settle(deps, { ...view, daemons: { ...view.daemons, hash } }, collisionCount);
  return { ...settled, ...done };
};

/** Looks at a DaemonSet. */
export const look: LookAtOwner<LookDeps, LookReport> = async (deps, owner, candidates, turn) => {
  const view = await decideFenced(turn, () => readView(deps, owner, candidates), writesChildren);
  if (!view) return NOTHING_DONE;
  return writesChildren(view) ? write(deps, view, turn) : settle(deps, view);
};
