import type { EpochMs } from '../../api/time.ts';
import type { Chance } from './chance.ts';

interface Version<T> {
  readonly from: EpochMs;
  readonly value: T | undefined;
}

/** Versions of rows over time, to show readers of an index what a row was a moment ago. */
export interface History<T> {
  record(path: string, before: T | undefined, after: T | undefined, now: EpochMs): void;
  /** The value of one row as a reader sees it whose view of it lags by up to `lagMs`; `current` where nothing was recorded. */
  asSeen(path: string, current: T | undefined, now: EpochMs, lagMs: number, chance: Chance): T | undefined;
  paths(): readonly string[];
}

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
