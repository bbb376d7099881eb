/**
 * The state of a resource without a change log: a scan that is repeated while watches are open, and reads of
 * single objects in between.
 */
import type { WatchChange } from '../changes/change.ts';
import { createLooks, type Look, type SnapshotDeps } from '../changes/scan-looks.ts';
import { createScanSteps, type Snapshot } from '../changes/scan-steps.ts';
import type { Source } from '../changes/source.ts';

/** The states of a resource, as a source of the changes between them. */
export interface Snapshots extends Source<WatchChange> {
  latest(): Promise<Snapshot>;
  /** Position of the latest state. Versions up to it may have been sent to clients, whatever the clock says now. */
  newest(): number;
}

/** Scans and reads the resource on demand. Positions are instants (ms) up to which the state is complete. */
export const createSnapshots = (deps: SnapshotDeps): Snapshots => {
  const { everyMs, news, clock } = deps;
  const steps = createScanSteps();
  const looks = createLooks(deps, steps);
  let running: Promise<Look> | undefined;

  const latest = async (): Promise<Look> => {
    const last = looks.last();
    if (last && !news && !looks.isOver()) return last;
    running ??= looks.look().finally(() => {
      running = undefined;
    });
    return running;
  };

  const follow = (after: number) => {
    let at = after;
    return {
      poll: async () => {
        const snapshot = await latest();
        if (snapshot.position <= at) return [];
        const changes = steps.after(at, snapshot);
        at = snapshot.position;
        return changes;
      },
      position: () => at,
      restMs: () => {
        const untilScan = Math.min(everyMs, (looks.last()?.scannedAt ?? 0) + everyMs - clock.now());
        return Math.max(1, Math.min(untilScan, news?.restMs ?? untilScan));
      },
    };
  };

  const release = (): void => {
    looks.forget();
    steps.clear();
  };
  const newest = (): number => looks.last()?.position ?? 0;
  return { latest, newest, head: async () => (await latest()).position, follow, release };
};
