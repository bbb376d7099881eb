/** Sizes of folders, measured beside all else: to walk through a large folder takes long. */
import type { FolderSize } from '../rules/stats/pod-stats.ts';
import type { SteadyMs } from '../rules/stats/summary.ts';

interface Known {
  readonly size?: FolderSize;
  readonly measuredAt: SteadyMs;
  readonly askedAt: SteadyMs;
}

export interface FolderSizes {
  /** The last size that is known; `undefined` as long as the folder has not been measured, or cannot be. Never waits. */
  sizeOf(folder: string): FolderSize | undefined;
  /** Resolves when no measurement is under way. */
  idle(): Promise<void>;
}

/**
 * `uptime`: milliseconds that never step. `periodMs`: how old a size may get, `volumeStatsAggPeriod` of the configuration. One folder
 * is measured at a time. Folders that nobody asks for any more are forgotten.
 */
export const createFolderSizes = (
  measure: (folder: string) => Promise<FolderSize>,
  uptime: () => SteadyMs,
  periodMs: number,
): FolderSizes => {
  const known = new Map<string, Known>();
  const waiting = new Set<string>();
  let work = Promise.resolve();

  const forgetOld = (now: SteadyMs): void => {
    for (const [folder, { askedAt }] of known) if (now - askedAt > 2 * periodMs) known.delete(folder);
  };

  const update = async (folder: string): Promise<void> => {
    const size = await measure(folder).catch(() => undefined);
    const now = uptime();
    const askedAt = known.get(folder)?.askedAt ?? now;
    known.set(folder, { ...(size && { size }), measuredAt: now, askedAt });
    waiting.delete(folder);
    if (waiting.size === 0) forgetOld(now);
  };

  const refresh = (folder: string): void => {
    if (waiting.has(folder)) return;
    waiting.add(folder);
    work = work.then(() => update(folder));
  };

  return {
    sizeOf: (folder) => {
      const now = uptime();
      const last = known.get(folder);
      if (last) known.set(folder, { ...last, askedAt: now });
      if (!last || now - last.measuredAt >= periodMs) refresh(folder);
      return last?.size;
    },
    idle: () => work,
  };
};
