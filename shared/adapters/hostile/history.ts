import type { EpochMs } from '../../kube/values/time.ts';
import type { Chance } from './chance.ts';

interface Version<T> {
  readonly from: EpochMs;
  readonly value: T | undefined;
}

/** The earlier versions of rows, so that readers of an index can be shown an old one. */
export interface History<T> {
  /** Records that a row changed from `before` to `after` at `now` (ms); `undefined`: there is no row. */
  record(path: string, before: T | undefined, after: T | undefined, now: EpochMs): void;
  /** One row as a reader sees it that lags by up to `lagMs` milliseconds; `current` if nothing was recorded. */
  asSeen(path: string, current: T | undefined, now: EpochMs, lagMs: number, chance: Chance): T | undefined;
  /** The paths of all rows that were recorded. */
  paths(): readonly string[];
}

/** Creates an empty history. It keeps the last 21 versions of each row. */
export const createHistory = <T>(): History<T> => {
  const versions = new Map<string, Version<T>[]>();
  return {
    paths: () => [...versions.keys()],
    record: (path, before, after, now) => {
      const known = versions.get(path) ?? [{ from: Number.NEGATIVE_INFINITY, value: before }];
      versions.set(path, [...known.slice(-20), { from: now, value: after }]);
    },
    asSeen: (path, current, now, lagMs, chance) => {
      const seenAt = now - chance.upTo(lagMs);
      const known = versions.get(path);
      if (!known || seenAt >= (known.at(-1)?.from ?? 0)) return current;
      return known.findLast(({ from }) => from <= seenAt)?.value;
    },
  };
};
