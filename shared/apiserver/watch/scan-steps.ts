import type { WatchChange } from './change.ts';
import type { Scan } from './scan-diff.ts';
import { changesSince } from './scan-diff.ts';

/** Differences between looks that are kept for those who are behind. */
const KEPT = 16;

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

/** The differences between the latest looks at a resource outside of the change log. */
export interface ScanSteps {
  add(from: number, to: number, changes: readonly WatchChange[]): void;
  /** What came after `at`, up to the snapshot: by the kept differences, or, further back, by the versions in the snapshot. */
  after(at: number, snapshot: Snapshot): readonly WatchChange[];
  clear(): void;
}

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
