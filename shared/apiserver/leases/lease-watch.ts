/**
 * Watches of Leases. Leases are not in the change log, because each renewal would be an entry; watches scan instead. Renewals are
 * coalesced: several of one Lease between two scans become one MODIFIED event (`watch/coalesced-changes.ts`). Creations and
 * deletions are notified (`shared/store/beats/lease-news.ts`) and reach watchers at once.
 */

import { apiVersionOf } from '../../kinds/contract/strategy.ts';
import type { HeartbeatItem } from '../../ports/store/heartbeats.ts';
import type { Scan, Scanned } from '../changes/scan.ts';
import type { ScanNews } from '../changes/scan-looks.ts';
import type { Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { answerWatch } from '../verbs/watch.ts';
import { watchedByScan } from '../watch/watched-by-scan.ts';
import { LEASE_KIND, leaseOf } from './lease-object.ts';

/** Milliseconds between two scans of the heartbeat store while a watch is open. */
const EVERY_MS = 5_000;
/** The same if every write is notified, so that a scan finds only items that have expired. */
const EVERY_TOLD_MS = 30_000;
/** Milliseconds by which a scan may lag, as for lists: it may miss the latest writes. */
const LAG_MS = 2_000;
/** Milliseconds for which watches show a deletion. What is stored of a deleted Lease is kept for a day. */
const HISTORY_MS = 60 * 60_000;

const scannedOf = (item: HeartbeatItem): Scanned => {
  const { namespace, name, version = 0, lease } = item;
  return {
    path: `${namespace}/${name}`,
    version,
    object: leaseOf(item),
    remains: {
      kind: LEASE_KIND.kind,
      apiVersion: apiVersionOf(LEASE_KIND),
      metadata: { namespace, name },
    },
    createdAt: lease?.createdAt ?? 0,
  };
};

const scan = async ({ heartbeats }: ApiServerDeps): Promise<Scan> => {
  const found = new Map<string, Scanned>();
  for await (const { value } of heartbeats.scan())
    for (const item of value.map(scannedOf)) if (item.version > 0) found.set(item.path, item);
  return found;
};

const newsOf = ({ leaseNews, heartbeats }: ApiServerDeps): ScanNews | undefined =>
  leaseNews && {
    ...leaseNews,
    read: async (path) => {
      const [namespace = '', name = ''] = path.split('/');
      const item = await heartbeats.read({ namespace, name });
      const found = item && scannedOf(item);
      return found && found.version > 0 ? found : undefined;
    },
  };

const watchedLeases = (deps: ApiServerDeps, onError: (error: unknown) => void) => {
  const news = newsOf(deps);
  return watchedByScan({
    scan: () => scan(deps),
    everyMs: news?.isComplete ? EVERY_TOLD_MS : EVERY_MS,
    lagMs: LAG_MS,
    historyMs: HISTORY_MS,
    clock: deps.clock,
    onError,
    ...(news ? { news } : {}),
  });
};

/** GET of Leases with `watch`. */
export const watchLeases: Handle<ApiServerDeps> = async (call, deps) => {
  const watched = deps.watches.scanned(LEASE_KIND.resource, (onError) => watchedLeases(deps, onError));
  return answerWatch(call, deps, { kind: LEASE_KIND, fields: () => ({}), watched });
};
