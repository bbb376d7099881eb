/** Keeps the state of the fleet by watches, while a page looks. */

import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { type SeenZone, seenZone } from '../../../shared/rules/roll-call/zone-lines.ts';
import type { DetailLease } from '../../wire/detail.ts';
import type { LiveDue } from '../../wire/live.ts';
import type { SourceState } from '../../wire/source.ts';
import { LEASES, NODES, PODS, ZONES } from '../requests/paths.ts';
import type { DashboardApi } from './api.ts';
import { liveDue } from './due.ts';
import { createEvictingNodes, type EvictingNodes } from './evicting-nodes.ts';
import { createFleetState, type FleetState } from './fleet-state.ts';
import { follow } from './follow.ts';
import { createForecasts } from './forecasts.ts';
import { readLeavingPods } from './leaving-pods.ts';
import { createReadAgain } from './read-again.ts';
import type { Source } from './source.ts';
import { createStanding, type Told } from './standing.ts';

/** Changes are merged for this long (ms). */
export const TICK_MS = 250;
/** How long (ms) the watches go on when the last page has left, for one that is loaded again. */
const LINGER_MS = 10_000;

/** The fleet, for pages. */
export interface LiveFleet {
  readonly state: FleetState;
  /** The zones as the last passes left them. */
  zones(): readonly SeenZone[];
  /** What is due besides what cells and zones say. */
  due(): LiveDue;
  /** Differs whenever `due` may have changed. */
  dueVersion(): string;
  /** The Lease of a node, `null` if it has none; `undefined`: Leases are not followed, or their first state has not come. */
  lease(node: string): DetailLease | null | undefined;
  /** Whether a first state of the nodes has come. */
  isWhole(): boolean;
  /** How the API stands, and the watches of it. */
  source(): SourceState;
  /** The same for who follows something else of the same API. */
  readonly api: Source;
  /** Keeps the watches open until the result is called. */
  join(): () => void;
  /** Ends the watches. */
  stop(): void;
}

export interface LiveFleetDeps {
  readonly api: DashboardApi;
  readonly source: Source;
  readonly now: () => EpochMs;
  /** Whether Leases are watched, for lateness: on AWS each look reads all of them. */
  readonly hasBeats: boolean;
}

/** The zones of a list take the place of those that were known when the whole list is there. */
const createZones = (state: FleetState) => {
  let [known, coming]: [Map<string, SeenZone>, Map<string, SeenZone> | undefined] = [new Map(), undefined];
  const follower: Told = {
    onReset: () => {
      coming = new Map();
    },
    onObject: (object) => {
      (coming ?? known).set(object.metadata.name, seenZone(object));
      if (!coming) state.zonesChanged();
    },
    onDeleted: ({ metadata }) => {
      known.delete(metadata.name);
      state.zonesChanged();
    },
    onWhole: () => {
      [known, coming] = [coming ?? known, undefined];
      state.zonesChanged();
    },
  };
  return { follower, all: (): readonly SeenZone[] => [...known.values()] };
};

/** Whom the watches of nodes and zones tell what they hear, by path. */
const followersOf = (
  state: FleetState,
  evicting: EvictingNodes,
  zones: Told,
): readonly (readonly [string, Told])[] => {
  return [
    [
      NODES,
      {
        onReset: state.nodesBegin,
        onObject: (object) => {
          state.node(object);
          evicting.put(object);
        },
        onDeleted: (object) => {
          state.nodeGone(object);
          evicting.drop(object.metadata.name);
        },
        onWhole: () => {
          state.nodesEnd();
          evicting.keepOnly((name) => state.entries().get(name)?.isGone === false);
        },
      },
    ],
    [ZONES, zones],
  ];
};

/** Whom the watch of Leases tells what it hears. */
const leaseFollower = (state: FleetState): Told => ({
  onReset: state.leasesBegin,
  onObject: state.lease,
  onDeleted: state.leaseGone,
  onWhole: state.leasesEnd,
});

/** Creates it. Nothing is watched until a page joins. */
export const createLiveFleet = ({ api, source, now, hasBeats }: LiveFleetDeps): LiveFleet => {
  const standing = createStanding(source, hasBeats ? [NODES, ZONES, LEASES] : [NODES, ZONES]);
  const state = createFleetState(standing);
  const evicting = createEvictingNodes(now);
  const forecasts = createForecasts(api, now);
  const zones = createZones(state);
  let users = 0;
  let running: AbortController | undefined;
  let lingering: NodeJS.Timeout | undefined;

  const followers = followersOf(state, evicting, zones.follower);
  const start = (): void => {
    running = new AbortController();
    const { signal } = running;
    standing.forget();
    signal.addEventListener('abort', source.start());
    const leases = createReadAgain(source);
    for (const [path, its] of followers) void follow({ api, source }, path, standing.told(path, its), signal);
    const leaseTold = leases.told(standing.told(LEASES, leaseFollower(state)));
    if (hasBeats) void follow({ api, source: leases.source }, LEASES, leaseTold, signal);
    const readPods = readLeavingPods({ api, source }, evicting, standing.teller(PODS), signal);
    const timer = setInterval(() => {
      const { late, isDoubtful } = state.look();
      if (isDoubtful) leases.ask();
      forecasts.look(standing.state().is === 'live' ? late : []);
      readPods();
    }, 2 * TICK_MS);
    signal.addEventListener('abort', () => clearInterval(timer));
  };
  const stop = (): void => {
    clearTimeout(lingering);
    running?.abort();
    running = undefined;
  };

  return {
    state,
    zones: zones.all,
    due: () => liveDue(state, evicting, forecasts),
    dueVersion: () => `${evicting.version()}.${state.drainVersion()}.${forecasts.version()}`,
    lease: (node) => (standing.has(LEASES) ? state.leaseOf(node) : undefined),
    isWhole: () => standing.has(NODES),
    source: standing.state,
    api: source,
    join: () => {
      users += 1;
      clearTimeout(lingering);
      if (!running) start();
      return () => {
        users -= 1;
        if (users === 0) lingering = setTimeout(stop, LINGER_MS);
      };
    },
    stop,
  };
};
