import type { PersistentVolume, PersistentVolumeClaim } from '../../shared/kube/types/storage.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import { type ClaimStep, claimStep, type StorageView } from '../../shared/rules/storage/claim-step.ts';
import { CLAIM_PROTECTION, isLeaving, VOLUME_PROTECTION } from '../../shared/rules/storage/protection.ts';
import type { StorageEvent } from '../../shared/rules/storage/storage-events.ts';
import { type VolumeStep, volumeStep } from '../../shared/rules/storage/volume-step.ts';
import { delayPast } from '../../shared/rules/wake-up.ts';
import { createFollower, type Follower, withoutManagers } from '../../shared/store/lists/follower.ts';
import { createProcessState } from '../../shared/store/lists/process-state.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import { inTurn, nextAfterTurn, type OwnerTurn } from '../../shared/store/turns/owner-turns.ts';
import type { BinderDeps, BinderReport } from './deps.ts';
import type { VolumeBinderMessage } from './message.ts';
import { createUses, releaseClaim, releaseVolume } from './protect.ts';
import { VOLUME_BINDER_QUEUE } from './queue.ts';
import { areBound, bind, type Settled, settleClaim, settleVolume } from './settle.ts';
import { createStorageState, type StorageState } from './storage-state.ts';

/** Objects looked at before the logs are read again. */
const TOGETHER = 128;
const CONCURRENCY = 16;
/** Milliseconds after which a run starts no further part. It then sends itself a message. */
const RUN_MS = 10_000;
/** A hole of a log is filled within about a second; what has changed since it was read is in the log by then, too. */
const AGAIN_MS = 1_000;
/** Milliseconds after which an object that could not be looked at is looked at again. */
const RETRY_MS = 5_000;
/** Kinds that are followed. Classes come first, so that claims are judged by all of them; then volumes, for the same reason. */
const FOLLOWED = ['storageclasses', 'persistentvolumes', 'persistentvolumeclaims'] as const;
/** The binder has turns as an owner of children has. It has no uid of its own. */
const TURN = 'volume-binder';

/** What a process knows. */
interface Process {
  readonly state: StorageState;
  readonly followers: readonly Follower[];
  /** The last message that an Event told of an object, by its uid, so that it is not told again with each change of others. */
  readonly told: Map<string, string>;
}

const inProcess = createProcessState(
  (deps: BinderDeps): Process => ({
    state: createStorageState(),
    followers: FOLLOWED.map((resource) => createFollower(deps, resource, withoutManagers)),
    told: new Map(),
  }),
);

/** When (ms) there is something to do again; `undefined`: when a change comes. */
type Next = EpochMs | undefined;

type Stored = PersistentVolume | PersistentVolumeClaim;

interface Run {
  readonly deps: BinderDeps;
  readonly process: Process;
  readonly report: Pick<BinderReport, 'bound' | 'errors'>;
  /** Objects to look at again, not before an instant (ms). */
  readonly resting: { readonly object: Stored; readonly at: EpochMs }[];
  /** Until then (ms) the run starts new parts. */
  readonly until: EpochMs;
}

/** Reads the logs. Resolves to whether a hole stopped a reader. */
const follow = async ({ state, followers }: Process): Promise<boolean> => {
  for (const follower of followers) for (const change of await follower.changes()) state.apply(change);
  return followers.some((follower) => follower.isWaiting());
};

/** What has to be done about an object; without `work`: nothing. */
interface Task {
  readonly object: Stored;
  readonly event?: StorageEvent | undefined;
  readonly work?: () => Promise<Settled>;
}

type Step = Exclude<ClaimStep, { bindTo: unknown }> | VolumeStep;

const taskOf = (
  { told }: Process,
  object: Stored,
  { next, event }: Step,
  work: () => Promise<Settled>,
): Task => {
  const isTold = event === undefined || told.get(object.metadata.uid ?? '') === event.message;
  return next === object && isTold ? { object } : { object, event, work };
};

const ofClaim = (
  { deps, process }: Run,
  claim: PersistentVolumeClaim,
  view: StorageView,
  taken: Set<string>,
): Task => {
  const step = claimStep(claim, view);
  if (!('bindTo' in step)) return taskOf(process, claim, step, () => settleClaim(deps, claim, view));
  const { bindTo } = step;
  taken.add(bindTo.metadata.name);
  return areBound(bindTo, claim)
    ? { object: claim }
    : { object: claim, work: () => bind(deps, bindTo, claim) };
};

/** The task of an object that is being deleted: it is let go if nothing uses it, else looked at as any other. */
const unless = (task: Task, release: () => Promise<boolean>): Task => ({
  ...task,
  work: async () => ((await release()) || !task.work ? 'done' : task.work()),
});

/** Decides about the next objects that are due. No volume is chosen for two claims. */
const tasksOf = (run: Run): readonly Task[] => {
  const { deps, process } = run;
  const { volumes, claims } = process.state.take(TOGETHER);
  const taken = new Set<string>();
  const view = process.state.view(({ metadata }) => taken.has(metadata.name));
  const leaving = claims.filter((claim) => isLeaving(claim, CLAIM_PROTECTION));
  const isUsed = createUses(deps, leaving);
  return [
    ...volumes.map((volume) => {
      const step = volumeStep(volume, process.state.claimOf(volume), deps.clock.now());
      const task = taskOf(process, volume, step, () => settleVolume(deps, volume));
      return isLeaving(volume, VOLUME_PROTECTION) ? unless(task, () => releaseVolume(deps, volume)) : task;
    }),
    ...claims.map((claim) => {
      const task = ofClaim(run, claim, view, taken);
      return leaving.includes(claim) ? unless(task, () => releaseClaim(deps, claim, isUsed)) : task;
    }),
  ];
};

/** Does the work of a task. An error of one does not keep the others: it rests until `at`. */
const perform = async ({ deps, process, report, resting }: Run, task: Task): Promise<void> => {
  const { object, event, work } = task;
  try {
    const settled = await work?.();
    if (settled === 'bound') report.bound += 1;
    if (settled === 'again') resting.push({ object, at: deps.clock.now() + AGAIN_MS });
    else if (event) process.told.set(object.metadata.uid ?? '', event.message);
  } catch (error) {
    report.errors.push(error);
    resting.push({ object, at: deps.clock.now() + RETRY_MS });
  }
};

/** Makes due again what rests. Resolves to when (ms) the first of it should be looked at. */
const rouse = ({ process, resting }: Run): Next => {
  let first: Next;
  for (const { object, at } of resting.splice(0)) {
    process.state.retry(object);
    first = Math.min(first ?? at, at);
  }
  return first;
};

/** Looks at all that is due. Within a turn: one process decides at a time. */
const bindInTurn = async (run: Run, turn: OwnerTurn): Promise<Next> => {
  const { deps, process, until } = run;
  try {
    for (;;) {
      await turn.keep();
      const isWaiting = await follow(process);
      await inParallel(tasksOf(run), CONCURRENCY, (task) => perform(run, task));
      if (process.state.hasDue() && deps.clock.now() < until) continue;
      const now = process.state.hasDue() ? deps.clock.now() : undefined;
      return now ?? rouse(run) ?? (isWaiting ? deps.clock.now() + AGAIN_MS : undefined);
    }
  } finally {
    rouse(run);
  }
};

/** Takes the turn only if something is due. */
const look = async (run: Run): Promise<Next> => {
  const { deps, process } = run;
  const isWaiting = await follow(process);
  if (!process.state.hasDue()) return isWaiting ? deps.clock.now() + AGAIN_MS : undefined;
  const turn = await inTurn(deps, TURN, (own) => bindInTurn(run, own), { isChecked: false });
  return nextAfterTurn(turn, deps.clock.now());
};

const runOnce = async (
  deps: BinderDeps,
  process: Process,
  { kind }: VolumeBinderMessage,
): Promise<BinderReport> => {
  const { clock, queues } = deps;
  const report = { bound: 0, errors: [] };
  if (kind === 'sweep') {
    process.told.clear();
    process.state.retryAll();
  }
  if (kind === 'unused') process.state.retryLeaving();
  const next = await look({ deps, process, report, resting: [], until: clock.now() + RUN_MS });
  if (next !== undefined) {
    const delaySeconds = delayPast(next, clock.now());
    await queues.send(VOLUME_BINDER_QUEUE.name, [{ body: { v: 1, kind: 'change' }, delaySeconds }]);
  }
  return { ...report, counts: process.state.counts() };
};

/**
 * Binds claims and volumes to each other until nothing is due. Throws if a log cannot be read or the queue fails; the message is
 * then delivered again.
 */
export const reconcile = (deps: BinderDeps, message: VolumeBinderMessage): Promise<BinderReport> =>
  inProcess(deps, (process) => runOnce(deps, process, message));

/** Lets all claims and volumes be looked at again, in case a change was lost. */
export const sweep = async ({ queues }: Pick<BinderDeps, 'queues'>): Promise<undefined> => {
  await queues.send(VOLUME_BINDER_QUEUE.name, [{ body: { v: 1, kind: 'sweep' } }]);
};
