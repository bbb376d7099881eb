/** All that a process remembers from one run of the scheduler to the next. It is derived: a new process reads it again. */

import { deepEqual } from '../../shared/kube/json/deep-equal.ts';
import type { Pod } from '../../shared/kube/types/core.ts';
import type { ObjectChange } from '../../shared/rules/scheduling/object-change.ts';
import { awaitsScheduler } from '../../shared/rules/scheduling/pending.ts';
import type { Ranking } from '../../shared/rules/scheduling/ranking.ts';
import { volumeProgress } from '../../shared/rules/scheduling/volumes/volume-progress.ts';
import type { CommitDeps } from '../../shared/store/commit/commit-protocol.ts';
import { createFollower, type Follower, type Keep } from '../../shared/store/lists/follower.ts';
import type { SchedulerDeps } from './deps.ts';
import { createAssumedPods } from './picture/assumed-pods.ts';
import { createPicture, type Picture } from './picture/picture.ts';
import { slimNode, slimOther, slimPod } from './picture/slim.ts';
import { createWaitingPods, type WaitingPods } from './picture/waiting-pods.ts';

/** The resources that the scheduler follows; pods come last, so that a pod is judged by all that was there before it. */
const FOLLOWED: readonly (readonly [resource: string, keep: Keep])[] = [
  ['namespaces', slimOther],
  ['nodes', slimNode],
  ['csinodes', slimOther],
  ['storageclasses', slimOther],
  ['persistentvolumes', slimOther],
  ['persistentvolumeclaims', slimOther],
  ['poddisruptionbudgets', slimOther],
  ['services', slimOther],
  ['replicationcontrollers', slimOther],
  ['replicasets', slimOther],
  ['statefulsets', slimOther],
  ['pods', (object) => slimPod(object as Pod)],
];

/** What one process knows. */
export interface SchedulerState {
  readonly picture: Picture;
  readonly waiting: WaitingPods;
  /** Whether all objects were read once. */
  isLoaded(): boolean;
  /** Reads what has changed. Pods that a change could help are tried again. Resolves to whether some changes cannot be read yet. */
  follow(): Promise<boolean>;
  /** Counts the pod on a node, until its bind is in the log or `forget` takes it back. */
  assume(pod: Pod): void;
  forget(pod: Pod): void;
  /** Index of the node that the next attempt judges first. */
  startAt: number;
  /** The scores of the last attempt, for pods that are alike. */
  shared: SharedRanking | undefined;
  /** Whether pods may be bound: all that takes room is counted. Stays `true`. */
  mayBind: boolean;
}

/** A ranking, the pods that it is for, and the version of the picture before the last of them was assumed. */
export interface SharedRanking {
  readonly signature: string;
  readonly version: number;
  readonly ranking: Ranking;
}

const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';

const isTried = (before: Pod | undefined, after: Pod): boolean =>
  !before || !deepEqual([before.spec, before.metadata.labels], [after.spec, after.metadata.labels]);

/** Whether the change may help pods besides the one that it is about. A pod without a node takes no room from anybody. */
const concernsOthers = ({ before, after }: ObjectChange): boolean =>
  (after ?? before)?.kind !== 'Pod' ||
  [before, after].some((pod) => (pod as Pod | undefined)?.spec.nodeName !== undefined);

/** Creates the state of a process, which has read nothing yet. */
export const createSchedulerState = (
  deps: CommitDeps & Pick<SchedulerDeps, 'schedulerName' | 'pause'>,
): SchedulerState => {
  const picture = createPicture();
  const waiting = createWaitingPods();
  const assumed = createAssumedPods(picture);
  const followers: readonly Follower[] = FOLLOWED.map(([resource, keep]) =>
    createFollower(deps, resource, keep),
  );
  let isLoaded = false;

  const putWaiting = (before: Pod | undefined, after: Pod): void => {
    waiting.put(after);
    if (isTried(before, after)) waiting.wakePod(uidOf(after));
  };
  const applyPod = ({ before, after }: ObjectChange<Pod>): void => {
    const uid = uidOf((after ?? before) as Pod);
    const placed = assumed.get(uid);
    const waits = after !== undefined && awaitsScheduler(after, deps.schedulerName);
    // The change came before the bind, which is under way or not in the log yet.
    if (placed && waits) {
      if (waiting.get(uid)) waiting.put(after);
      return;
    }
    assumed.apply({ before, after });
    if (waits) putWaiting(before, after);
    else waiting.remove(uid);
  };
  /** Lets pods be tried whose volumes are bound, or will not be. */
  const judgeHeld = (): void => {
    const { storage } = picture.cluster();
    for (const one of waiting.held()) {
      if (!one.held) continue;
      const { nodeName, choice } = one.held;
      const progress = volumeProgress(choice, nodeName, picture.node(nodeName), storage);
      if (progress !== 'waits') waiting.release(one, progress === 'bound' ? undefined : progress.failure);
    }
  };
  const apply = (change: ObjectChange): void => {
    if ((change.after ?? change.before)?.kind === 'Pod') applyPod(change as ObjectChange<Pod>);
    else picture.apply(change);
    if (concernsOthers(change)) waiting.wake(change, picture.namespaces());
  };

  return {
    picture,
    waiting,
    startAt: 0,
    shared: undefined,
    mayBind: false,
    isLoaded: () => isLoaded,
    follow: async () => {
      for (const follower of followers)
        for (const change of await follower.changes()) {
          await deps.pause?.();
          apply(change);
        }
      isLoaded = true;
      const isWaiting = followers.some((follower) => follower.isWaiting());
      // What is behind the logs would look as if somebody had taken it back.
      if (!isWaiting) judgeHeld();
      return isWaiting;
    },
    assume: assumed.assume,
    forget: assumed.forget,
  };
};
