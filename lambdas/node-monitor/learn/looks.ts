/** The beats that the last pass of a process has seen: nothing is stored for them. V-81. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { NodeHealthRow } from '../../../shared/rules/nodes/node-health.ts';
import type { Look } from '../../../shared/rules/patience/survived-silence.ts';

/** What a pass has seen of a node. */
interface NodeLook extends Look {
  /** Its silence is not its own, as its site was cut off: see V-82. */
  readonly isExcused: boolean;
}

/** What one pass has seen of all nodes. */
export interface Looks {
  /** What it has seen of the Node with this uid, which was probably at this place; `undefined`: nothing, or no beat. */
  of(uid: string, place: number): NodeLook | undefined;
}

const NEVER = Number.NaN;

/** Notes what the pass that began at `seenAt` (ms) sees of `nodes`, by their places. */
export const createLooks = (nodes: readonly NodeHealthRow[], seenAt: EpochMs) => {
  const uids = nodes.map(({ uid }) => uid);
  const beats = new Float64Array(nodes.length).fill(NEVER);
  const excused = new Uint8Array(nodes.length);
  let places: ReadonlyMap<string, number> | undefined;
  const placeOf = (uid: string, place: number): number => {
    if (uids[place] === uid) return place;
    places ??= new Map(uids.map((one, index) => [one, index]));
    return places.get(uid) ?? -1;
  };
  const looks: Looks = {
    of: (uid, near) => {
      const place = placeOf(uid, near);
      const beatAt = beats[place] ?? NEVER;
      return Number.isNaN(beatAt) ? undefined : { beatAt, seenAt, isExcused: excused[place] === 1 };
    },
  };
  return {
    looks,
    note: (place: number, beatAt: EpochMs, isExcused: boolean): void => {
      beats[place] = beatAt;
      excused[place] = isExcused ? 1 : 0;
    },
  };
};
