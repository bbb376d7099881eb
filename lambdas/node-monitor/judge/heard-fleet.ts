/** When the nodes of a pass were last heard: straight, and through relays. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { HeartbeatItem } from '../../../shared/ports/store/heartbeats.ts';
import type { Heartbeats, NodeHealthRow } from '../../../shared/rules/nodes/node-health.ts';
import { eachRelayed } from '../../../shared/rules/relays/relayed-beats.ts';
import { beatsFor } from '../../../shared/store/beats/node-beats.ts';
import type { PlacedPart } from './fleet-places.ts';
import { mapInSlices, type Pause } from './slices.ts';

/** The beats of the nodes of a pass, by their places. */
export interface HeardFleet {
  /** The newest beats of the Node; `undefined`: nobody has heard it, or what is stored belongs to another Node of its name. */
  beats(place: number): Heartbeats | undefined;
  /** When the Node was last heard in any way (ms, our clock). */
  observedAt(place: number): EpochMs | undefined;
}

/** The nodes of a pass with their items, in the same order. */
interface Entries {
  readonly nodes: readonly NodeHealthRow[];
  readonly items: readonly (HeartbeatItem | undefined)[];
}

/** Beats that came through relays, ms of our clock by place; `NEVER`: none came. */
interface Relayed {
  readonly relayAt: Float64Array;
  readonly plainAt: Float64Array;
  readonly aheadAt: Float64Array;
}

const NEVER = Number.NEGATIVE_INFINITY;

const raise = (instants: Float64Array, place: number, at: EpochMs): void => {
  if (at > (instants[place] ?? at)) instants[place] = at;
};

const relayedOf = async (
  { nodes }: Entries,
  parts: readonly PlacedPart[],
  now: EpochMs,
  pause: Pause | undefined,
): Promise<Relayed> => {
  const none = (): Float64Array => new Float64Array(nodes.length).fill(NEVER);
  const [relayAt, plainAt, aheadAt] = [none(), none(), none()];
  const add = (part: PlacedPart): void => {
    const ahead = part.beats?.aheadAt ?? NEVER;
    eachRelayed(part, now, (entry, at, isPlain) => {
      const place = part.places[entry] ?? -1;
      raise(isPlain ? plainAt : relayAt, place, at);
      raise(aheadAt, place, ahead);
    });
  };
  await mapInSlices(parts, add, pause);
  return { relayAt, plainAt, aheadAt };
};

const heardStraight = ({ nodes, items }: Entries): HeardFleet => ({
  beats: (place) => beatsFor(items[place], nodes[place]?.uid ?? ''),
  observedAt: (place) => items[place]?.observedAt,
});

const newest = (own: EpochMs | undefined, relayed = NEVER): EpochMs | undefined => {
  const at = Math.max(own ?? 0, relayed, 0);
  return at === 0 ? own : at;
};

const heardThrough = (entries: Entries, { relayAt, plainAt, aheadAt }: Relayed): HeardFleet => {
  const { nodes, items } = entries;
  const relayedAt = (place: number): EpochMs => Math.max(relayAt[place] ?? NEVER, plainAt[place] ?? NEVER);
  const isOfAnother = (place: number): boolean => {
    const item = items[place];
    return item !== undefined && item.uid !== nodes[place]?.uid;
  };
  const straight = heardStraight(entries);
  return {
    beats: (place) => {
      if (relayedAt(place) === NEVER || isOfAnother(place)) return straight.beats(place);
      const item = items[place];
      return {
        leaseAt: item?.leaseAt,
        statusAt: item?.statusAt,
        plainAt: newest(item?.plainAt, plainAt[place]),
        relayAt: newest(item?.relayAt, relayAt[place]),
        aheadAt: newest(item?.aheadAt, aheadAt[place]),
        hasLease: item?.lease !== undefined,
        patience: item?.patience,
        leaseSeconds: item?.lease?.spec.leaseDurationSeconds,
      };
    },
    observedAt: (place) => {
      const own = straight.observedAt(place);
      return relayedAt(place) === NEVER || isOfAnother(place) ? own : Math.max(own ?? 0, relayedAt(place), 0);
    },
  };
};

/** What is known of each node's beats at `now`, in one place for those that came straight and through `parts`. */
export const heardFleet = async (
  entries: Entries,
  parts: readonly PlacedPart[],
  now: EpochMs,
  pause: Pause | undefined,
): Promise<HeardFleet> =>
  parts.length === 0
    ? heardStraight(entries)
    : heardThrough(entries, await relayedOf(entries, parts, now, pause));
