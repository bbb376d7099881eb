/** Resources outside of the log, watched by one scan that is repeated for as long as somebody watches. */
import { resourceExpired } from '../../api/status-error.ts';
import { fromTheFuture } from '../../state/log-reader.ts';
import { createFanOut } from './fan-out.ts';
import type { SnapshotDeps } from './scan-looks.ts';
import { createSnapshots, type Snapshots } from './snapshots.ts';
import type { StatePart, StateRequest, Watched } from './watched.ts';

/** Versions are instants: one that a client was told may be later than the scan that did not see another, by so much (ms). */
export const SLACK_MS = 8_000;
/** Clocks may differ by so much (ms). */
const SKEW_MS = 60_000;

export interface ScanDeps extends SnapshotDeps {
  /** Milliseconds for which deletions can be told; `undefined`: clients may come back from any version. */
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
      if (version > Math.max(now, snapshots.newest()) + SKEW_MS) throw fromTheFuture(version, now);
      const oldest = historyMs === undefined ? 0 : now - historyMs;
      if (version < oldest) throw resourceExpired(`too old resource version: ${version} (${oldest})`);
      return version - SLACK_MS;
    },
  };
};
