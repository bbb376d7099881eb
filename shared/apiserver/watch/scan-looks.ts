/** Looks at a resource outside of the change log: whole scans, and single objects in between. */
import type { EpochMs } from '../../api/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Scan, Scanned } from './scan-diff.ts';
import { changesBetween, changesOf } from './scan-diff.ts';
import type { ScanSteps, Snapshot } from './scan-steps.ts';

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

export interface Look extends Snapshot {
  readonly scannedAt: EpochMs;
  readonly scan: Map<string, Scanned>;
}

export interface Looks {
  /** The latest; `undefined` before the first. */
  last(): Look | undefined;
  /** Whether it is time for another scan. */
  isOver(): boolean;
  /** Looks. One at a time. */
  look(): Promise<Look>;
  /** The next look is the first again. */
  forget(): void;
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

/** Tells `steps` the difference between two looks. */
export const createLooks = ({ scan, everyMs, lagMs, news, clock }: SnapshotDeps, steps: ScanSteps): Looks => {
  let last: Look | undefined;
  let mustScan = false;
  /** When objects were read by their path, as long as a scan may lack that. */
  const readAt = new Map<string, EpochMs>();

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
    if (last) steps.add(last.position, position, changesBetween(last.scan, whole, position));
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
    steps.add(look.position, position, changesOf(pairs, position));
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

  const forget = (): void => {
    last = undefined;
    readAt.clear();
  };
  return { last: () => last, isOver, look, forget };
};
