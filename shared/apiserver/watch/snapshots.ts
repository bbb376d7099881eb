/** The state of a resource outside of the log: a scan that is repeated while somebody watches, and single objects in between. */
import type { EpochMs } from '../../api/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { WatchChange } from './change.ts';
import type { Scan, Scanned } from './scan-diff.ts';
import { changesBetween, changesOf, changesSince } from './scan-diff.ts';
import type { Source } from './source.ts';

/** Differences between looks that are kept for those who are behind. */
const KEPT = 16;

/** Tells between two scans what to read again. */
export interface ScanNews {
  /** Paths written since the last call; `all`: scan again. */
  take(): Promise<readonly string[] | 'all'>;
  /** The object as it is now, or what is left of it; `undefined`: nothing. */
  read(path: string): Promise<Scanned | undefined>;
  /** Whether every write is told. */
  readonly isComplete: boolean;
  /** Milliseconds after which to ask again. */
  readonly restMs: number;
}

export interface SnapshotDeps {
  readonly scan: () => Promise<Scan>;
  readonly everyMs: number;
  /** A scan is complete up to this long before its start, ms. */
  readonly lagMs: number;
  readonly news?: ScanNews;
  readonly clock: Clock;
}

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

export interface Snapshots extends Source<WatchChange> {
  latest(): Promise<Snapshot>;
  /** Position of the last look: versions up to it were told, whatever the clock says now. */
  newest(): number;
}

interface Look extends Snapshot {
  readonly scannedAt: EpochMs;
  readonly scan: Map<string, Scanned>;
}

/** A scan may lag behind what was seen before: what it shows older stays, and what was read by its path lately if it has nothing. */
const withoutGoingBack = (
  found: Scan,
  before: Scan,
  readAt: ReadonlyMap<string, EpochMs>,
): Map<string, Scanned> => {
  const scan = new Map(found);
  for (const [path, known] of before) {
    const seen = found.get(path)?.version ?? (readAt.has(path) ? 0 : Number.POSITIVE_INFINITY);
    if (known.version > seen) scan.set(path, known);
  }
  return scan;
};

/** Positions are instants up to which the looks are complete. */
export const createSnapshots = ({ scan, everyMs, lagMs, news, clock }: SnapshotDeps): Snapshots => {
  let last: Look | undefined;
  let steps: readonly Step[] = [];
  let running: Promise<Look> | undefined;
  let mustScan = false;
  /** When objects were read by their path, as long as a scan may lack that. */
  const readAt = new Map<string, EpochMs>();

  const step = (from: number, to: number, changes: readonly WatchChange[]): void => {
    steps = [...steps.slice(1 - KEPT), { from, to, changes }];
  };

  const forgetReads = (before: EpochMs): void => {
    for (const [path, at] of readAt) if (at < before) readAt.delete(path);
  };

  /** A clock that was set back makes the last scan an old one, too. */
  const isOver = (): boolean => !last || Math.abs(clock.now() - last.scannedAt) >= everyMs;

  const scanAll = async (): Promise<Look> => {
    const scannedAt = clock.now();
    const found = await scan();
    const position = Math.max(scannedAt - lagMs, (last?.position ?? 0) + 1);
    forgetReads(scannedAt - lagMs);
    const whole = last ? withoutGoingBack(found, last.scan, readAt) : new Map(found);
    if (last) step(last.position, position, changesBetween(last.scan, whole, position));
    last = { scannedAt, position, scan: whole };
    return last;
  };

  const readEach = async (look: Look, paths: readonly string[], read: ScanNews['read']): Promise<Look> => {
    if (paths.length === 0) return look;
    const now = clock.now();
    // What is not told, such as renewals, is known up to the last scan only.
    const position = Math.max(news?.isComplete ? now - lagMs : 0, look.position + 1);
    const pairs: [Scanned | undefined, Scanned | undefined][] = [];
    for (const path of paths) {
      const is = await read(path);
      pairs.push([look.scan.get(path), is]);
      if (is) look.scan.set(path, is);
      else look.scan.delete(path);
      readAt.set(path, now);
    }
    step(look.position, position, changesOf(pairs, position));
    last = { ...look, position };
    return last;
  };

  const look = async (): Promise<Look> => {
    // Asked before the scan: what is written meanwhile is told by the next call.
    const told = (await news?.take()) ?? [];
    const scans = mustScan || isOver() || !news || told === 'all';
    // What was told is not told again: after a failure only a scan finds it.
    mustScan = true;
    const found = scans || !last ? await scanAll() : await readEach(last, told, news.read);
    mustScan = false;
    return found;
  };

  const latest = async (): Promise<Look> => {
    if (last && !news && !isOver()) return last;
    running ??= look().finally(() => {
      running = undefined;
    });
    return running;
  };

  const changesAfter = (at: number, { scan: found, position }: Snapshot): readonly WatchChange[] => {
    const isKept = steps[0] !== undefined && steps[0].from <= at;
    return isKept
      ? steps.filter(({ to }) => to > at).flatMap(({ changes }) => changes)
      : changesSince(found, at, position);
  };

  const follow = (after: number) => {
    let at = after;
    return {
      poll: async () => {
        const snapshot = await latest();
        if (snapshot.position <= at) return [];
        const changes = changesAfter(at, snapshot);
        at = snapshot.position;
        return changes;
      },
      position: () => at,
      restMs: () => {
        const untilScan = Math.min(everyMs, (last?.scannedAt ?? 0) + everyMs - clock.now());
        return Math.max(1, Math.min(untilScan, news?.restMs ?? untilScan));
      },
    };
  };

  const release = (): void => {
    last = undefined;
    steps = [];
    readAt.clear();
  };
  const newest = (): number => last?.position ?? 0;
  return { latest, newest, head: async () => (await latest()).position, follow, release };
};
