/** Keeps the state of the fleet by watches, while somebody looks. */

import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { type SeenZone, seenZone } from '../../../shared/rules/roll-call/zone-lines.ts';
import type { DetailLease } from '../../wire/detail.ts';
import type { LiveDue } from '../../wire/live.ts';
import { LEASES, NODES, PODS, ZONES } from '../requests/paths.ts';
import type { DashboardApi } from './api.ts';
import { liveDue } from './due.ts';
import { createEvictingNodes, type EvictingNodes } from './evicting-nodes.ts';
import { createFleetState, type FleetState } from './fleet-state.ts';
import { type Follower, follow } from './follow.ts';
import { readLeavingPods } from './leaving-pods.ts';

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
  /** Whether the first state of the nodes has come. */
  isWhole(): boolean;
  /** Why the API cannot be followed; `undefined`: it can. */
  problem(): string | undefined;
  /** Keeps the watches open until the result is called. */
  join(): () => void;
  /** Ends the watches. */
  stop(): void;
}

export interface LiveFleetDeps {
  readonly api: DashboardApi;
  readonly now: () => EpochMs;
  /** Whether Leases are watched, for lateness: on AWS each look reads all of them. */
  readonly hasBeats: boolean;
}

type Told = Omit<Follower, 'onFailure' | 'onAnswer'>;

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Whom the watches tell what they hear, by path. */
const followersOf = (
  state: FleetState,
  evicting: EvictingNodes,
  zones: Map<string, SeenZone>,
  onWhole: (path: string) => void,
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
          onWhole(NODES);
        },
      },
    ],
    [
      ZONES,
      {
        onReset: () => zones.clear(),
        onObject: (object) => {
          zones.set(object.metadata.name, seenZone(object));
          state.zonesChanged();
        },
        onDeleted: ({ metadata }) => {
          zones.delete(metadata.name);
          state.zonesChanged();
        },
        onWhole: state.zonesChanged,
      },
    ],
    [
      LEASES,
      {
        onReset: state.leasesBegin,
        onObject: state.lease,
        onDeleted: state.leaseGone,
        onWhole: () => onWhole(LEASES),
      },
    ],
  ];
};

/** Creates it. Nothing is watched until somebody joins. */
export const createLiveFleet = ({ api, now, hasBeats }: LiveFleetDeps): LiveFleet => {
  const state = createFleetState(now);
  const evicting = createEvictingNodes(now);
  const problems = new Map<string, string>();
  const zones = new Map<string, SeenZone>();
  const whole = new Set<string>();
  let users = 0;
  let running: AbortController | undefined;
  let lingering: NodeJS.Timeout | undefined;

  const tellProblemsOf = (path: string): Pick<Follower, 'onAnswer' | 'onFailure'> => ({
    onAnswer: () => void problems.delete(path),
    onFailure: (error) => problems.set(path, reasonOf(error)),
  });
  const followers = followersOf(state, evicting, zones, (path) => whole.add(path));

  const start = (): void => {
    running = new AbortController();
    const { signal } = running;
    whole.clear();
    for (const [path, its] of hasBeats ? followers : followers.slice(0, 2))
      void follow({ api }, path, { ...its, ...tellProblemsOf(path) }, signal);
    const readPods = readLeavingPods(api, evicting, tellProblemsOf(PODS), signal);
    const timer = setInterval(() => {
      state.look();
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
    zones: () => [...zones.values()],
    due: () => liveDue(state, evicting),
    dueVersion: () => `${evicting.version()}.${state.drainVersion()}`,
    lease: (node) => (whole.has(LEASES) ? state.leaseOf(node) : undefined),
    isWhole: () => whole.has(NODES),
    problem: () => problems.values().next().value,
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
