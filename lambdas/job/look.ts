/** One look at a Job within its turn: reads it and its pods, decides, writes. */
import type { Pod } from '../../shared/kube/types/core.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import type { EventRecorder } from '../../shared/ports/process/event-recorder.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { FOREGROUND_DELETION } from '../../shared/rules/owners/garbage.ts';
import { withDeletion } from '../../shared/rules/pods/deletion.ts';
import { adopted, released } from '../../shared/rules/workloads/children/children.ts';
import { isActive } from '../../shared/rules/workloads/children/pod-state.ts';
import { withJobStatus } from '../../shared/rules/workloads/job/job.ts';
import { tracked, untracked } from '../../shared/rules/workloads/job/job-pods.ts';
import { endOf, type JobStatus, jobStatusOf } from '../../shared/rules/workloads/job/job-spec.ts';
import { decideFenced, type OwnerTurn } from '../../shared/store/turns/owner-turns.ts';
import type { ChildDeps, ChildWrite } from '../owners/children.ts';
import { type ClaimChanges, claimRows, rowsOf } from '../owners/claims.ts';
import { createPods, type Made, refusalOf } from '../owners/owned-pods.ts';
import { recordEvents, recordPodEvents } from '../owners/pod-events.ts';
import type { LookAtOwner, Named, OwnerLook } from '../owners/reconcile-owner.ts';
import { letGo } from './let-go.ts';
import { type GoneView, isHeldFor, readView, type View, type ViewDeps } from './view.ts';

/** The service account of the controller, and the component of its Events. */
const ACCOUNT = 'job-controller';

export interface LookDeps extends ChildDeps, Pick<ViewDeps, 'ownerEdges'> {
  readonly recorder: EventRecorder;
}

export interface LookReport extends OwnerLook {
  readonly created: number;
  readonly deleted: number;
  /** Pods that were let go of. */
  readonly released: number;
  /** Whether the Job has completed or failed with this look. */
  readonly isEnd: boolean;
}

const NOTHING_DONE: LookReport = {
  created: 0,
  deleted: 0,
  released: 0,
  isEnd: false,
  hasMore: false,
  isStatusWritten: false,
};

const isView = (view: View | GoneView): view is View => view.row !== undefined;

const writesPods = (view: View | GoneView): boolean => {
  if (!isView(view)) return view.left.length > 0;
  const { pods, decision } = view;
  const { change, end, untrack } = decision;
  const lists = [pods.adopt, pods.release, change.create, change.drop, end, untrack];
  return lists.some((list) => list.length > 0);
};

/** A pod that is adopted is held from then on until it is counted. */
const CLAIM_CHANGES: ClaimChanges<Pod> = {
  adopted: (owner, pod) => tracked(adopted(owner, pod)),
  released: (owner, pod) => untracked(released(owner, pod)),
};

/** What carrying out the change of a running Job did. */
interface Carried {
  readonly made: readonly Made[];
  readonly dropped: readonly LiveRow[];
}

/** Adopts and releases, makes pods, and takes away those that are too many. One that has ended meanwhile is counted, not taken away. */
const carryOut = async (deps: LookDeps, view: View, turn: OwnerTurn, write: ChildWrite): Promise<Carried> => {
  const { create, drop } = view.decision.change;
  const { adopt, release } = view.pods;
  const claims = { adopt: rowsOf(view.podRows, adopt), release: rowsOf(view.podRows, release) };
  await claimRows(deps, view, claims, write, CLAIM_CHANGES);
  const made = await createPods(deps, ACCOUNT, create, turn, write);
  const how = { write, keep: turn.keep, deletes: true, mayGo: isActive };
  const dropped = await letGo(deps, rowsOf(view.podRows, drop), how);
  await recordPodEvents(deps.recorder, view, ACCOUNT, made, dropped);
  return { made, dropped };
};

const hasPod = (one: Made): boolean => 'pod' in one;

/** The status, with the pods that could be made instead of those that were to be. */
const statusAfter = ({ decision: { status, change } }: View, made: readonly Made[]): JobStatus => {
  const { active = 0, ...others } = status;
  const count = active - change.create.length + made.filter(hasPod).length;
  return { ...others, ...(count > 0 ? { active: count } : {}) };
};

/** Writes the status if the Job is as it was read. */
const writeStatus = async (
  deps: LookDeps,
  { row, owner }: View,
  status: JobStatus,
): Promise<'written' | 'same' | 'outdated'> => {
  const next = withJobStatus(owner, status);
  if (next === owner) return 'same';
  const { outcome } = await deps.writer.write(row.key, (stored) =>
    stored?.revision === row.revision ? { next, writer: 'controller' } : undefined,
  );
  return outcome === 'written' ? 'written' : 'outdated';
};

/** A Job that has outlived its end goes, after its dependents. */
const expire = async (deps: LookDeps, { row, owner }: View): Promise<void> => {
  const { finalizers = [] } = owner.metadata;
  const foreground = [...finalizers.filter((one) => one !== FOREGROUND_DELETION), FOREGROUND_DELETION];
  await deps.writer.write(row.key, (stored, now) => {
    if (stored?.revision !== row.revision) return undefined;
    const held = { ...owner, metadata: { ...owner.metadata, finalizers: foreground } };
    return { next: withDeletion(held, 0, now), writer: 'controller' };
  });
};

/** What follows once the status knows of it: pods of a Job that ends go, and pods that have ended are let go of. */
const conclude = async (
  deps: LookDeps,
  view: View,
  turn: OwnerTurn,
  write: ChildWrite,
): Promise<readonly [number, number]> => {
  const { end, untrack } = view.decision;
  const ending = new Set(end);
  const how = { write, keep: turn.keep };
  const gone = await letGo(deps, rowsOf(view.podRows, end), { ...how, deletes: true });
  const others = untrack.filter((pod) => !ending.has(pod));
  const free = await letGo(deps, rowsOf(view.podRows, others), how);
  await recordPodEvents(deps.recorder, view, ACCOUNT, [], gone);
  return [gone.length, free.length];
};

const tell = (deps: LookDeps, view: View): Promise<void> => {
  const { generation = 0 } = view.owner.metadata;
  const events = view.decision.events.map((event) => [event, `${event.reason} ${generation}`] as const);
  return recordEvents(deps.recorder, view, ACCOUNT, events);
};

const act = async (deps: LookDeps, view: View, turn: OwnerTurn): Promise<LookReport> => {
  const { owner, decision, pods } = view;
  const write = writesPods(view) ? { turn: await turn.fence() } : undefined;
  const { made, dropped } = write ? await carryOut(deps, view, turn, write) : { made: [], dropped: [] };
  const failure = refusalOf(made)?.message;
  const report = {
    ...NOTHING_DONE,
    created: made.filter(hasPod).length,
    deleted: dropped.length,
    ...optional('failure', failure),
  };
  const outcome = await writeStatus(deps, view, statusAfter(view, made));
  if (outcome === 'outdated') return { ...report, hasMore: failure === undefined };
  const [gone, free] = write ? await conclude(deps, view, turn, write) : [0, 0];
  await tell(deps, view);
  if (decision.isExpired) await expire(deps, view);
  const wasOver = endOf(jobStatusOf(owner)) !== undefined;
  return {
    ...report,
    deleted: dropped.length + gone,
    released: free,
    isEnd: !wasOver && endOf(decision.status) !== undefined,
    hasMore: failure === undefined && gone + free + pods.adopt.length > 0,
    // A Job that is over writes no status any more, but its time comes.
    isStatusWritten: outcome === 'written' || wasOver,
    ...(decision.wakeAt === undefined || decision.isExpired ? {} : { wakeAt: decision.wakeAt }),
  };
};

/** Lets go of the pods of a Job that is gone: there is nobody left to count them. */
const letAllGo = async (
  deps: LookDeps,
  { left }: GoneView,
  { uid }: Named,
  turn: OwnerTurn,
): Promise<LookReport> => {
  if (left.length === 0) return NOTHING_DONE;
  const how = { write: { turn: await turn.fence() }, keep: turn.keep };
  const free = await letGo(deps, left, { ...how, mayGo: (pod) => isHeldFor(pod, uid) });
  return { ...NOTHING_DONE, released: free.length };
};

/** Looks at a Job. */
export const look: LookAtOwner<LookDeps, LookReport> = async (deps, owner, candidates, turn) => {
  const view = await decideFenced(turn, () => readView(deps, owner, candidates), writesPods);
  return isView(view) ? act(deps, view, turn) : letAllGo(deps, view, owner, turn);
};
