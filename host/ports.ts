/** The stores, watches and limits of a host, composed over its state. */
import { createMemoryKeyUses } from '../shared/adapters/memory/key-uses.ts';
import { systemIds as ids } from '../shared/adapters/system/id-source.ts';
import { createKnownBeats } from '../shared/apiserver/contract/known-beats.ts';
import type { TokenPayload } from '../shared/apiserver/contract/token-user.ts';
import { createVerifiedTokens } from '../shared/apiserver/contract/verified-tokens.ts';
import { createWatches, HOST_WATCH_LIMITS } from '../shared/apiserver/feed/watches.ts';
import { isBeat } from '../shared/apiserver/heartbeat-server.ts';
import { LEASE_KIND } from '../shared/apiserver/leases/lease-object.ts';
import { optional } from '../shared/kube/values/optional.ts';
import type { LeaseKey } from '../shared/ports/store/heartbeats.ts';
import type { ObjectStore } from '../shared/ports/store/object-store.ts';
import type { MetricsRegistry } from '../shared/serving/http/prometheus.ts';
import { createDoorbell } from '../shared/serving/machine/doorbell.ts';
import { ALL_SHORTCUTS } from '../shared/serving/repeats/shortcuts.ts';
import { createLocalLeaseNews, withLeaseListener, withLeaseNews } from '../shared/store/beats/lease-news.ts';
import { createLister } from '../shared/store/lists/lists.ts';
import { createLimitedLog } from './figures/limited-log.ts';
import { countedCommits } from './figures/store-series.ts';
import type { HostTracing } from './figures/tracing.ts';
import type { OpenFolder } from './folder/folder.ts';
import { createGroupCommit } from './folder/group-commit.ts';
import { createStandstill } from './folder/standstill.ts';
import { createTurns } from './folder/turns.ts';
import { createYieldingStores, yieldingControl } from './folder/yielding-store.ts';
import { createFlowControl } from './queues/flow-control.ts';

/** Tokens of 100,000 nodes and as many bytes for each as they have. */
const TOKENS_OF_A_HOST = { tokens: 131_072, characters: 67_108_864 };

const elapsed = (): number => performance.now();
/** The event loop: ticks come when all microtasks of what was started have run. */
const loop = {
  elapsed,
  nextTurn: setImmediate,
  afterStart: (resume: () => void): void => queueMicrotask(() => process.nextTick(resume)),
};

/**
 * The ports that API and controllers share. Each commit wakes the watches of its resource and rings the doorbell of the
 * change feed.
 */
export const portsOf = (
  { clock, state, hostLog, configuration }: OpenFolder,
  metrics: MetricsRegistry,
  tracing?: HostTracing,
  shortcuts = ALL_SHORTCUTS,
) => {
  const traced = (objects: ObjectStore): ObjectStore => tracing?.objects(objects) ?? objects;
  // Anybody may send requests that fail. They must not fill the log.
  const requestLog = createLimitedLog(hostLog, elapsed);
  const changes = createDoorbell();
  const leaseNews = createLocalLeaseNews();
  const onLease = (key: LeaseKey): void => {
    leaseNews.add(key);
    watches.committed(LEASE_KIND.resource);
  };
  const commits = createGroupCommit(countedCommits(state.commitTogether, metrics, elapsed));
  // While the node monitor marks the nodes of an outage, what follows from that can wait.
  const standstill = createStandstill();
  const turns = createTurns({ isUrgent: commits.isOutage, standstill });
  const onCommit = (resource: string): void => {
    changes.ring();
    watches.committed(resource);
  };
  const views = createYieldingStores({ ...state, commits, onCommit, turns, standstill });
  const onLeases = { onChange: onLease, onRenewal: onLease };
  const listened = (view: ObjectStore) => withLeaseListener({ ...state, objects: traced(view) }, onLeases);
  const stores = listened(views.requests);
  const { objects } = stores;
  const lister = createLister({ objects, clock, ids });
  const onError = (error: unknown): void =>
    requestLog.warn('watches failed to read changes; they try again', { error });
  const watches = createWatches({ objects, clock, ids, lister, limits: HOST_WATCH_LIMITS, onError });
  const flow = createFlowControl({ ...loop, limits: configuration.limits, metrics });
  const verified = createVerifiedTokens<TokenPayload>(TOKENS_OF_A_HOST);
  return {
    ...stores,
    /** Stores for controllers: they pause so that requests are answered first. */
    fair: {
      objects: listened(views.controllers).objects,
      monitorObjects: listened(views.monitor).objects,
      monitorPause: createTurns({ standstill }).pause,
      control: yieldingControl(state.control, turns),
    },
    beatsAtOnce: withLeaseNews(state.beatsAtOnce, onLease),
    keyUses: createMemoryKeyUses(),
    verified,
    shortcuts,
    ...optional('knownBeats', shortcuts.known ? createKnownBeats(verified, isBeat) : undefined),
    clock,
    ids,
    changes,
    leaseNews,
    lister,
    watches,
    metrics,
    flow: tracing?.flow(flow) ?? flow,
    tracing,
    pause: turns.pause,
    standstill,
    hostLog,
    requestLog,
  };
};

export type Ports = ReturnType<typeof portsOf>;
