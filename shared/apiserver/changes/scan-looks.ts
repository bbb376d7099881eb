/** Reads a resource that has no change log: it scans the whole resource, and reads single objects between two scans. */
import type { EpochMs } from '../../kube/values/time.ts';
import type { Clock } from '../../ports/process/clock.ts';
import { changesBetween, changesOf } from './coalesced-changes.ts';
import type { Scan, Scanned } from './scan.ts';
import type { ScanSteps, Snapshot } from './scan-steps.ts';

/** Reports between two scans which objects to read again. */
export interface ScanNews {
  /** Paths written since the last call; `all`: scan again. */
  take(): Promise<readonly string[] | 'all'>;
  /** The current object, or the marker of a deleted one; `undefined` if there is neither. */
  read(path: string): Promise<Scanned | undefined>;
  /** Whether every write is reported, renewals included. */
  readonly isComplete: boolean;
  /** Milliseconds after which to call `take` again. */
  readonly restMs: number;
}

/** What reading a resource by scans needs. */
export interface SnapshotDeps {
  readonly scan: () => Promise<Scan>;
  /** Milliseconds between the starts of two scans. */
  readonly everyMs: number;
  /** A scan shows every write that happened at least this long (ms) before its start. */
  readonly lagMs: number;
  readonly news?: ScanNews;
  readonly clock: Clock;
}

/** The state of the resource as of one look: a scan, updated by the objects that were read since. */
export interface Look extends Snapshot {
  /** When the scan started (ms). */
  readonly scannedAt: EpochMs;
  readonly scan: Map<string, Scanned>;
}

/** Reads the resource and keeps the latest state. */
export interface Looks {
  /** The latest state; `undefined` before the first look. */
  last(): Look | undefined;
  /** Whether another scan is due. */
  isOver(): boolean;
  /** Scans, or reads the objects that the news name. Must not be called again before it has resolved. */
  look(): Promise<Look>;
  /** Drops the latest state, so that the next look scans. */
  forget(): void;
}

/**
 * Merges a scan into the state before it, because a scan may be older than that state: an object keeps its known version if the
 * scan shows an older one, or if the scan lacks it and it was read by its path recently.
 */
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

/** Creates the reader of a resource. Each look adds its difference from the look before to `steps`. */
export const createLooks = ({ scan, everyMs, lagMs, news, clock }: SnapshotDeps, steps: ScanSteps): Looks => {
  let last: Look | undefined;
  let mustScan = false;
  /** When objects were read by their path, for as long as a scan may miss those reads. */
  const readAt = new Map<string, EpochMs>();

  const forgetReads = (before: EpochMs): void => {
    for (const [path, at] of readAt) if (at < before) readAt.delete(path);
  };

  /** A scan is also due after the clock was set back past the last one. */
  const isOver = (): boolean => !last || Math.abs(clock.now() - last.scannedAt) >= everyMs;

  const scanAll = async (): Promise<Look> => {
    const scannedAt = clock.now();
    const found = await scan();
    const position = Math.max(scannedAt - lagMs, (last?.position ?? 0) + 1);
    forgetReads(scannedAt - lagMs);
    const whole = last ? withoutGoingBack(found, last.scan, readAt) : new Map(found);
    if (last) steps.add(last.position, position, changesBetween(last.scan, whole, position));
    last = { scannedAt, position, scan: whole };
    return last;
  };

  const readEach = async (look: Look, paths: readonly string[], read: ScanNews['read']): Promise<Look> => {
    if (paths.length === 0) return look;
    const now = clock.now();
    // If renewals are not reported, they are known only up to the last scan.
    const position = Math.max(news?.isComplete ? now - lagMs : 0, look.position + 1);
    const pairs: [Scanned | undefined, Scanned | undefined][] = [];
    for (const path of paths) {
      const is = await read(path);
      pairs.push([look.scan.get(path), is]);
      if (is) look.scan.set(path, is);
      else look.scan.delete(path);
      readAt.set(path, now);
    }
    steps.add(look.position, position, changesOf(pairs, position));
    last = { ...look, position };
    return last;
  };

  const look = async (): Promise<Look> => {
    // This comes before the scan, so that the next call reports what is written in between.
    const told = (await news?.take()) ?? [];
    const scans = mustScan || isOver() || !news || told === 'all';
    // A path is reported only once, so after a failure only a scan finds its change.
    mustScan = true;
    const found = scans || !last ? await scanAll() : await readEach(last, told, news.read);
    mustScan = false;
    return found;
  };

  const forget = (): void => {
    last = undefined;
    readAt.clear();
  };
  return { last: () => last, isOver, look, forget };
};
