/** Which nodes did not answer properly when they were asked last. */

/** More are not remembered: those of longest ago count as good again. */
const MOST_REMEMBERED = 10_000;

/** Nodes by uid. */
export interface Doubts {
  has(uid: string): boolean;
  /** What the last answer was worth. */
  settle(uid: string, isGood: boolean): void;
}

/** Remembers them, without a doubt about anyone at first. */
export const createDoubts = (): Doubts => {
  const uids = new Set<string>();
  return {
    has: (uid) => uids.has(uid),
    settle: (uid, isGood) => {
      uids.delete(uid);
      if (!isGood) uids.add(uid);
      const [oldest] = uids;
      if (uids.size > MOST_REMEMBERED && oldest !== undefined) uids.delete(oldest);
    },
  };
};
