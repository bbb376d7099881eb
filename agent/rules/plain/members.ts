/** Which processes of the machine belong to a container that has no control group. */
import type { ProcessMark } from '../machine/process-mark.ts';

/** A process that lives. */
export interface SeenProcess extends ProcessMark {
  readonly parent: number;
  readonly session: number;
  /** Whether the environment that it was started with names the container. */
  readonly isMarked: boolean;
}

/** What a container was started as. */
export interface Leader extends ProcessMark {
  /** Whether the agent has just seen its end, so that its number is no other process' yet. */
  readonly hasJustEnded: boolean;
}

/**
 * The kernel gives the number of a session to no other process while the session has a member. So another process with that number proves
 * that the session is over; without any process of that number, a later one may have had it, made a session and ended.
 */
const ownsSession = (seen: readonly SeenProcess[], { pid, startTime, hasJustEnded }: Leader): boolean => {
  const holder = seen.find((one) => one.pid === pid);
  return holder ? holder.startTime === startTime : hasJustEnded;
};

const isChildOf = (parent: SeenProcess, child: SeenProcess): boolean =>
  child.parent === parent.pid && Number(child.startTime) >= Number(parent.startTime);

const withChildren = (
  seen: readonly SeenProcess[],
  first: readonly SeenProcess[],
): ReadonlySet<SeenProcess> => {
  const children = Map.groupBy(seen, ({ parent }) => parent);
  const members = new Set(first);
  // A set is walked with what is added meanwhile.
  for (const parent of members)
    for (const child of children.get(parent.pid) ?? []) if (isChildOf(parent, child)) members.add(child);
  return members;
};

/**
 * The members: those of the session, those with the mark, and all that they have made and that did not outlive them. A process that leaves
 * the session, clears its environment and outlives what made it is not found. `leader`: absent if the number of the first process is not
 * known, or of another start of the machine.
 */
export const membersOf = (
  seen: readonly SeenProcess[],
  leader: Leader | undefined,
): readonly ProcessMark[] => {
  const session = leader && ownsSession(seen, leader) ? leader.pid : undefined;
  const first = seen.filter((one) => one.isMarked || one.session === session);
  return [...withChildren(seen, first)].map(({ pid, startTime }) => ({ pid, startTime }));
};
