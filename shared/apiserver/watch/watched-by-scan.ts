/** Watches of resources without a change log: one scan is repeated while at least one watch is open. */
import { resourceExpired } from '../../kube/errors/status-error.ts';
import { fromTheFuture } from '../../store/log/log-reader.ts';
import type { SnapshotDeps } from '../changes/scan-looks.ts';
import { createFanOut } from '../feed/fan-out.ts';
import { createSnapshots, type Snapshots } from '../feed/snapshots.ts';
import type { StatePart, StateRequest, Watched } from '../feed/watched.ts';

/**
 * A version is a timestamp. A client's version may be up to this much (ms) ahead of a scan that missed a
 * concurrent write.
 */
export const SLACK_MS = 8_000;
/** Largest difference (ms) between the clocks of two servers. */
const SKEW_MS = 60_000;

/** What watches by scan need. */
export interface ScanDeps extends SnapshotDeps {
  /** Milliseconds for which deletions can be shown; `undefined`: clients may continue from any version. */
  readonly historyMs?: number;
  readonly onError: (error: unknown) => void;
}

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

/**
 * Watches a resource by scans. Several changes of an object between two scans become one event. An event may be
 * sent twice, but none is lost.
 */
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
      if (version > Math.max(now, snapshots.newest()) + SKEW_MS) throw fromTheFuture(version, now);
      const oldest = historyMs === undefined ? 0 : now - historyMs;
      if (version < oldest) throw resourceExpired(`too old resource version: ${version} (${oldest})`);
      return version - SLACK_MS;
    },
  };
};
