/** Keeps the picture of the fleet by the watches of the API. */
import { type FollowDeps, type Follower, follow } from '../../dashboard/server/live/follow.ts';
import type { Known } from './collection.ts';
import type { FleetPicture } from './fleet-picture.ts';

/** Since when (ms) something has had no answer, and why. */
export interface Lost {
  readonly since: number;
  readonly reason: string;
}

/** How the watches stand. */
export interface Following {
  /** Since when (ms) a watch has had no answer, and why; `undefined`: all have one. */
  lost(): Lost | undefined;
  /** Whether the present state of each collection has come. */
  isWhole(): boolean;
}

/** What following needs. */
export interface WatchDeps extends FollowDeps {
  readonly now: () => number;
  /** Whether Leases are followed, which tell of beats. */
  readonly hasBeats: boolean;
  readonly onChange: () => void;
  readonly signal: AbortSignal;
  /** How the connection to the API stands. */
  readonly connection: () => Lost | undefined;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Starts to follow. It ends with the signal. */
export const watchFleet = (picture: FleetPicture, deps: WatchDeps): Following => {
  const lost = new Map<string, Lost>();
  const incomplete = new Set<string>();

  const followerOf = (path: string, known: Known): Follower => ({
    onReset: known.begin,
    onObject: (object) => {
      known.put(object);
      deps.onChange();
    },
    onDeleted: (object) => {
      known.drop(object);
      deps.onChange();
    },
    onWhole: () => {
      known.end();
      incomplete.delete(path);
      deps.onChange();
    },
    onAnswer: () => {
      if (lost.delete(path)) deps.onChange();
    },
    onFailure: (error) => {
      lost.set(path, { since: lost.get(path)?.since ?? deps.now(), reason: reasonOf(error) });
      deps.onChange();
    },
  });

  const collections: readonly (readonly [string, Known])[] = [
    ['/api/v1/nodes', picture.nodes],
    ['/api/v1/pods', picture.pods],
    ['/apis/rollcall.dev/v1/zones', picture.zones],
    ['/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases', picture.leases],
  ];
  for (const [path, known] of deps.hasBeats ? collections : collections.slice(0, -1)) {
    incomplete.add(path);
    void follow(deps, path, followerOf(path, known), deps.signal);
  }
  return {
    lost: () => deps.connection() ?? [...lost.values()].toSorted((a, b) => a.since - b.since)[0],
    isWhole: () => incomplete.size === 0,
  };
};
