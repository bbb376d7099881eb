/** Resources outside of the log, watched by one scan that is repeated for as long as somebody watches. */
import { resourceExpired } from '../../api/status-error.ts';
import type { EpochMs } from '../../api/time.ts';
import type { Clock } from '../../ports/clock.ts';
import { fromTheFuture } from '../../state/log-reader.ts';
import type { Change } from './change.ts';
import { createFanOut } from './fan-out.ts';
import type { Scan } from './scan-diff.ts';
import { changesBetween, changesSince } from './scan-diff.ts';
import type { Source } from './source.ts';
import type { StatePart, StateRequest, Watched } from './watched.ts';

/** Differences between scans that are kept for those who are behind. */
const KEPT = 16;
/** Versions are instants: one that a client was told may be later than the scan that did not see another, by so much (ms). */
export const SLACK_MS = 5_000;
/** Clocks may differ by so much (ms). */
const SKEW_MS = 60_000;

export interface ScanDeps {
  readonly scan: () => Promise<Scan>;
  readonly everyMs: number;
  /** A scan is complete up to this long before its start, ms. */
  readonly lagMs: number;
  /** Milliseconds for which deletions can be told; `undefined`: clients may come back from any version. */
  readonly historyMs?: number;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

interface Snapshot {
  readonly at: EpochMs;
  readonly position: number;
  readonly scan: Scan;
}

interface Step {
  readonly from: number;
  readonly to: number;
  readonly changes: readonly Change[];
}

interface Snapshots extends Source<Change> {
  latest(): Promise<Snapshot>;
}

/** Positions are instants up to which the scans are complete. */
const createSnapshots = ({ scan, everyMs, lagMs, clock }: ScanDeps): Snapshots => {
  let last: Snapshot | undefined;
  let steps: readonly Step[] = [];
  let running: Promise<Snapshot> | undefined;

  const look = async (): Promise<Snapshot> => {
    const at = clock.now();
    const found = await scan();
    const position = Math.max(at - lagMs, (last?.position ?? 0) + 1);
    if (last) {
      const changes = changesBetween(last.scan, found, position);
      steps = [...steps.slice(1 - KEPT), { from: last.position, to: position, changes }];
    }
    last = { at, position, scan: found };
    return last;
  };

  const latest = async (): Promise<Snapshot> => {
    if (last && clock.now() - last.at < everyMs) return last;
    running ??= look().finally(() => {
      running = undefined;
    });
    return running;
  };

  const changesAfter = (at: number, { scan: found, position }: Snapshot): readonly Change[] => {
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
      restMs: () => Math.max(1, (last?.at ?? 0) + everyMs - clock.now()),
    };
  };

  const release = (): void => {
    last = undefined;
    steps = [];
  };
  return { latest, head: async () => (await latest()).position, follow, release };
};

const stateOf = async function* (
  snapshots: Snapshots,
  { namespace }: StateRequest,
): AsyncGenerator<StatePart> {
  const { position, scan } = await snapshots.latest();
  const objects = [...scan.values()]
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .flatMap(({ object }) => (object ? [object] : []))
    .filter(({ metadata }) => namespace === '' || metadata.namespace === namespace);
  yield { position, objects };
};

/** Changes between two scans are told as one, and one may be told twice, but none is left out. */
export const watchedByScan = (deps: ScanDeps): Watched => {
  const { clock, historyMs } = deps;
  const snapshots = createSnapshots(deps);
  return {
    changes: createFanOut(snapshots, deps),
    state: (request) => stateOf(snapshots, request),
    head: snapshots.head,
    repeatsMs: deps.everyMs,
    positionOf: async (version) => {
      const now = clock.now();
      if (version > now + SKEW_MS) throw fromTheFuture(version, now);
      const oldest = historyMs === undefined ? 0 : now - historyMs;
      if (version < oldest) throw resourceExpired(`too old resource version: ${version} (${oldest})`);
      return version - SLACK_MS;
    },
  };
};
