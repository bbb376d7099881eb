/** One look at a StatefulSet within its turn: reads all that belongs to it, decides, writes. */
import type { Pod } from '../../shared/kube/types/core.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import { toTime } from '../../shared/kube/values/time.ts';
import type { EventRecorder } from '../../shared/ports/process/event-recorder.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { nextAvailableAt } from '../../shared/rules/workloads/children/pod-state.ts';
import { BURST_REPLICAS } from '../../shared/rules/workloads/replica-set/replica-set.ts';
import { minReadySecondsOf } from '../../shared/rules/workloads/replica-set/replica-set-status.ts';
import { STATEFUL_SET_REVISIONS } from '../../shared/rules/workloads/revisions/controller-revisions.ts';
import { setRevision } from '../../shared/rules/workloads/stateful-set/stateful-set-pods.ts';
import { withStatefulSetStatus } from '../../shared/rules/workloads/stateful-set/stateful-set-status.ts';
import { decideFenced, type OwnerTurn } from '../../shared/store/turns/owner-turns.ts';
import type { ChildDeps, ChildWrite } from '../owners/children.ts';
import { claimRows, rowsOf } from '../owners/claims.ts';
import { deleteRevisions, keepRevision } from '../owners/owned-revisions.ts';
import { recordEvents } from '../owners/pod-events.ts';
import type { LookAtOwner, OwnerLook } from '../owners/reconcile-owner.ts';
import { ACCOUNT, carryOut, type Done } from './steps.ts';
import { collisionsOf, decided, readView, type View, type ViewDeps, writesChildren } from './view.ts';

export interface LookDeps extends ChildDeps, Pick<ViewDeps, 'ownerEdges'> {
  readonly objects: ChildDeps['objects'] & ViewDeps['objects'];
  readonly recorder: EventRecorder;
}

export interface LookReport extends OwnerLook {
  readonly created: number;
  readonly deleted: number;
  readonly adopted: number;
  readonly released: number;
  /** Claims created. */
  readonly claims: number;
}

const NOTHING_DONE: LookReport = {
  created: 0,
  deleted: 0,
  adopted: 0,
  released: 0,
  claims: 0,
  hasMore: false,
  isStatusWritten: false,
};

/** The pods after the steps. Whether a deleted one is gone yet, its change says. */
const podsAfter = (
  deps: LookDeps,
  { pods }: View,
  { created, deleted }: Pick<Done, 'created' | 'deleted'>,
) => {
  const gone = new Set(deleted.map(({ metadata }) => metadata.uid));
  const deletionTimestamp = toTime(deps.clock.now());
  const all = [...pods.keep, ...pods.adopt].map((pod) =>
    gone.has(pod.metadata.uid) ? { ...pod, metadata: { ...pod.metadata, deletionTimestamp } } : pod,
  );
  return [...all, ...created];
};

/**
 * Writes the status. Looks again if the owner has changed since it was read, and when an update has come to its end: the revision that was
 * current until then may be one too many.
 */
const settle = async (
  deps: LookDeps,
  view: View,
  collisionCount: number,
  done: Pick<Done, 'created' | 'deleted'> = { created: [], deleted: [] },
): Promise<LookReport> => {
  const { row, owner } = view;
  const revisions = { current: view.current.name, update: view.update.name, collisionCount };
  const pods = podsAfter(deps, view, done);
  const next = withStatefulSetStatus(owner, pods, revisions, deps.clock.now());
  const isComplete = next.status?.['currentRevision'] !== view.current.name;
  const wakeAt = nextAvailableAt(pods, minReadySecondsOf(owner), deps.clock.now());
  const report = { ...NOTHING_DONE, ...optional('wakeAt', wakeAt) };
  if (next === owner) return report;
  const { outcome } = await deps.writer.write(row.key, (stored) =>
    stored?.revision === row.revision ? { next, writer: 'controller' } : undefined,
  );
  const isStatusWritten = outcome === 'written';
  return { ...report, isStatusWritten, hasMore: isComplete || !isStatusWritten };
};

/** Adopts and releases pods, and brings the revision of the present template in place. */
const prepare = async (deps: LookDeps, view: View, write: ChildWrite) => {
  const { row, owner, pods, plan } = view;
  const claims = { adopt: rowsOf(view.podRows, pods.adopt), release: rowsOf(view.podRows, pods.release) };
  await claimRows(deps, view, claims, write);
  const before = collisionsOf(owner);
  if (owner.metadata.deletionTimestamp !== undefined) return { view, collisionCount: before };
  const naming = STATEFUL_SET_REVISIONS;
  const kept = await keepRevision(deps, plan, { row, owner, account: ACCOUNT, naming, write });
  const { revision, collisionCount = before } = kept;
  return { view: decided(deps, view, setRevision(owner, revision)), collisionCount };
};

const act = async (deps: LookDeps, read: View, turn: OwnerTurn): Promise<LookReport> => {
  const write = { turn: await turn.fence() };
  const { view, collisionCount } = await prepare(deps, read, write);
  const { owner: set, pods, steps } = view;
  const done: Done = { events: [], created: [], deleted: [], claims: 0 };
  const rowOf = (pod: Pod): LiveRow | undefined => view.podRows.get(pod.metadata.uid ?? '');
  await carryOut({ deps, set, turn, write, done, rowOf }, steps.slice(0, BURST_REPLICAS));
  await deleteRevisions(deps, view.surplus, write);
  await recordEvents(deps.recorder, view, ACCOUNT, done.events);
  const { failure } = done;
  const settled = await settle(deps, view, collisionCount, done);
  return {
    ...settled,
    created: done.created.length,
    deleted: done.deleted.length,
    adopted: pods.adopt.length,
    released: pods.release.length,
    claims: done.claims,
    hasMore: failure === undefined && (settled.hasMore || steps.length > BURST_REPLICAS),
    ...optional('failure', failure),
  };
};

/** Looks at a StatefulSet. */
export const look: LookAtOwner<LookDeps, LookReport> = async (deps, owner, candidates, turn) => {
  const view = await decideFenced(turn, () => readView(deps, owner, candidates), writesChildren);
  if (!view) return NOTHING_DONE;
  return writesChildren(view) ? act(deps, view, turn) : settle(deps, view, collisionsOf(view.owner));
};
