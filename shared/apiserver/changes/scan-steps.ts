import type { WatchChange } from './change.ts';
import { changesSince } from './coalesced-changes.ts';
import type { Scan } from './scan.ts';

/** Number of differences that are kept, for watches that have not read them yet. */
const KEPT = 16;

/** The state of a resource at one position. */
export interface Snapshot {
  /** Everything up to this instant is in `scan`. */
  readonly position: number;
  readonly scan: Scan;
}

interface Step {
  readonly from: number;
  readonly to: number;
  readonly changes: readonly WatchChange[];
}

/** The differences between the latest looks at a resource that has no change log. */
export interface ScanSteps {
  add(from: number, to: number, changes: readonly WatchChange[]): void;
  /**
   * The changes after `at` up to the snapshot. They come from the kept differences, or from the versions in the snapshot if `at`
   * is older than those.
   */
  after(at: number, snapshot: Snapshot): readonly WatchChange[];
  clear(): void;
}

/** Creates an empty list of differences, which keeps the latest 16. */
export const createScanSteps = (): ScanSteps => {
  let steps: readonly Step[] = [];
  return {
    add: (from, to, changes) => {
      steps = [...steps.slice(1 - KEPT), { from, to, changes }];
    },
    after: (at, { scan, position }) => {
      const isKept = steps[0] !== undefined && steps[0].from <= at;
      return isKept
        ? steps.filter(({ to }) => to > at).flatMap(({ changes }) => changes)
        : changesSince(scan, at, position);
    },
    clear: () => {
      steps = [];
    },
  };
};
