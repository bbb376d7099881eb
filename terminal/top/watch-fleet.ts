/** Keeps the picture of the fleet by the watches of the API. */
import { type FollowDeps, type Follower, follow } from '../../dashboard/server/live/follow.ts';
import { createReadAgain } from '../../dashboard/server/live/read-again.ts';
import type { Source } from '../../dashboard/server/live/source.ts';
import { createStanding } from '../../dashboard/server/live/standing.ts';
import type { Known } from './collection.ts';
import type { FleetPicture } from './fleet-picture.ts';

/** The follower, after each of whose calls is drawn. */
const drawing = (told: Follower, onChange: () => void): Follower => {
  const then =
    <T extends readonly unknown[]>(work: (...args: T) => void) =>
    (...args: T): void => {
      work(...args);
      onChange();
    };
  const { onReset, onObject, onDeleted, onWhole, onAnswer, onFailure } = told;
  return {
    onReset,
    onAnswer,
    onObject: then(onObject),
    onDeleted: then(onDeleted),
    onWhole: then(onWhole),
    onFailure: then(onFailure),
  };
};

/** How the watches stand. */
export interface Following extends Pick<ReturnType<typeof createStanding>, 'state' | 'asOf'> {
  /** Reads Leases again: their watch may hang. */
  readonly readLeasesAgain: () => void;
}

/** What following needs. */
export interface WatchDeps extends FollowDeps {
  readonly source: Source;
  /** Whether Leases are followed, which tell of beats. */
  readonly hasBeats: boolean;
  readonly onChange: () => void;
  readonly signal: AbortSignal;
}

const [NODES, PODS, ZONES, LEASES] = [
  '/api/v1/nodes',
  '/api/v1/pods',
  '/apis/rollcall.dev/v1/zones',
  '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
];

/** Starts to follow. It ends with the signal. */
export const watchFleet = (picture: FleetPicture, deps: WatchDeps): Following => {
  const { nodes, pods, zones, leases } = picture;
  const collections: readonly (readonly [string, Known])[] = [
    [NODES, nodes],
    [PODS, pods],
    [ZONES, zones],
  ];
  const paths = collections.map(([path]) => path);
  const standing = createStanding(deps.source, deps.hasBeats ? [...paths, LEASES] : paths);
  const again = createReadAgain(deps.source);

  const followerOf = (path: string, known: Known): Follower => {
    const told = standing.told(path, {
      onReset: known.begin,
      onObject: known.put,
      onDeleted: known.drop,
      onWhole: known.end,
    });
    return drawing(told, deps.onChange);
  };
  for (const [path, known] of collections) void follow(deps, path, followerOf(path, known), deps.signal);
  if (deps.hasBeats)
    void follow(
      { ...deps, source: again.source },
      LEASES,
      again.told(followerOf(LEASES, leases)),
      deps.signal,
    );
  return { ...standing, readLeasesAgain: again.ask };
};
