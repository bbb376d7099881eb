/** Where the waiting pods are: in the order of those to be tried, in groups that no change has helped yet, or held for their volumes. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { TIMED_OUT } from '../../../shared/rules/scheduling/volumes/volume-progress.ts';
import { createRefusedGroups } from './refused-groups.ts';
import { createTurnOrder } from './turn-order.ts';
import type { Held, WaitingPod } from './waiting-pod.ts';

/** The pods that wait for their volumes. */
const createHeld = () => {
  const held = new Set<WaitingPod>();
  let deadline: EpochMs | undefined;
  return {
    all: (): Iterable<WaitingPod> => held,
    size: (): number => held.size,
    add: (waiting: WaitingPod, chosen: Held, until: EpochMs): void => {
      held.add(waiting);
      waiting.held = chosen;
      waiting.restsUntil = 0;
      if (waiting.bindingUntil !== undefined) return;
      waiting.bindingUntil = until;
      deadline = until;
    },
    leave: (waiting: WaitingPod): void => {
      held.delete(waiting);
      delete waiting.held;
    },
    overdue: (now: EpochMs): readonly WaitingPod[] =>
      [...held].filter(({ bindingUntil = now }) => bindingUntil <= now),
    takeDeadline: (): EpochMs | undefined => {
      const taken = deadline;
      deadline = undefined;
      return taken;
    },
  };
};

/** Creates the places of waiting pods. */
export const createLanes = () => {
  const order = createTurnOrder();
  const groups = createRefusedGroups();
  const held = createHeld();

  const withdraw = (waiting: WaitingPod): void => {
    order.leave(waiting);
    held.leave(waiting);
    if (waiting.group !== undefined) groups.leave(waiting.group, waiting.pod.metadata.uid ?? '');
    delete waiting.group;
  };
  const release = (waiting: WaitingPod, failure?: string): void => {
    withdraw(waiting);
    if (failure !== undefined) waiting.failure = failure;
    order.enter(waiting);
  };
  return {
    order,
    groups,
    held,
    withdraw,
    release,
    hold: (waiting: WaitingPod, chosen: Held, until: EpochMs): void => {
      withdraw(waiting);
      held.add(waiting, chosen, until);
    },
    /** Lets the pod be tried if it is in a group. A choice of volumes stands: what happens to its node meanwhile does not matter. */
    wake: (waiting: WaitingPod): void => {
      if (waiting.group !== undefined) release(waiting);
    },
    /** The first pods to be tried. Those whose volumes were not bound in time are among them. */
    due: (now: EpochMs, limit: number): readonly WaitingPod[] => {
      for (const waiting of held.overdue(now)) release(waiting, TIMED_OUT);
      return order.first(now, limit);
    },
  };
};
