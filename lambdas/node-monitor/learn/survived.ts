/** Which silences nodes have ended since the last pass. V-81. */
import { optional } from '../../../shared/kube/values/optional.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { listeningSince } from '../../../shared/rules/absences/silence.ts';
import {
  graceRangeOf,
  type Heartbeats,
  intervalOf,
  lastBeat,
  type NodeHealthRow,
} from '../../../shared/rules/nodes/node-health.ts';
import {
  type GraceRange,
  type Patience,
  patienceAfter,
} from '../../../shared/rules/patience/adaptive-grace.ts';
import { isRhythm, survivedMs } from '../../../shared/rules/patience/survived-silence.ts';
import { isAhead } from '../../../shared/rules/zones/future-instants.ts';
import type { Labels } from '../../../shared/rules/zones/zone-names.ts';
import type { Viewpoint } from '../judge/judgement.ts';
import { mapInSlices, type Pause } from '../judge/slices.ts';
import { createLooks, type Looks } from './looks.ts';

/** A silence that a node has ended, and that would lengthen its grace period. */
export interface Survived {
  readonly node: string;
  readonly uid: string;
  readonly zone: string;
  readonly silentMs: number;
  readonly endedAt: EpochMs;
  /** It is as long as the time between two beats of the node may be: the node has missed none. */
  readonly isRhythm: boolean;
  /** The grace period of the node if it did not adapt, ms. */
  readonly fixedMs: number;
  /** What the node had learned before. */
  readonly known?: Patience;
  /** Absent: the grace period of the node does not adapt, so that its silence only counts for the network's. */
  readonly range?: GraceRange;
}

/** The nodes of a pass with their beats. */
export interface HeardNodes {
  readonly nodes: readonly NodeHealthRow[];
  readonly beats: (place: number) => Heartbeats | undefined;
  /** When they had been read (ms): a later beat is ahead of the clock. */
  readonly readAt: EpochMs;
  /** `name/uid` of the nodes whose sites are cut off. */
  readonly cutOff: ReadonlySet<string>;
  readonly labelsOf: (name: string, uid: string) => Labels | undefined;
}

/** Whether nobody could have heard a beat that came after `beatAt`, or its instant is not that of a beat. */
const isUnheard = (
  beatAt: EpochMs,
  beats: Heartbeats | undefined,
  { hearing }: Pick<Viewpoint, 'hearing'>,
): boolean => listeningSince(hearing) > beatAt || (beats?.aheadAt ?? 0) > beatAt;

/** Compares the beats with those of the last pass. Returns what this pass has seen, and the silences that ended, in the order of the nodes. */
export const survivedSince = async (
  last: Looks | undefined,
  { nodes, beats: beatsAt, readAt, cutOff, labelsOf }: HeardNodes,
  view: Viewpoint,
  pause: Pause | undefined,
): Promise<{ readonly looks: Looks; readonly survived: readonly Survived[] }> => {
  const { now, hearing, settings } = view;
  const { looks, note } = createLooks(nodes, now);
  const survived: Survived[] = [];
  const look = (row: NodeHealthRow, place: number): void => {
    const { name, uid, zone } = row;
    const beats = beatsAt(place);
    const beatAt = lastBeat(row, beats);
    if (beatAt === undefined || isAhead(beatAt, readAt)) return;
    const before = last?.of(uid, place);
    const isSame = before !== undefined && beatAt <= before.beatAt;
    note(place, beatAt, (isSame && before.isExcused) || (cutOff.size > 0 && cutOff.has(`${name}/${uid}`)));
    if (before === undefined || isSame || before.isExcused || isUnheard(before.beatAt, beats, view)) return;
    const intervalMs = intervalOf(beats, hearing);
    const silentMs = survivedMs(before, beatAt, intervalMs);
    const own = settings.node(zone, labelsOf(name, uid));
    const fixedMs = own.nodeMonitorGracePeriodMs;
    const range = graceRangeOf(beats, hearing, own);
    const fixed = { floorMs: fixedMs, ceilingMs: Number.POSITIVE_INFINITY };
    if (!patienceAfter(range ?? fixed, beats?.patience, silentMs, beatAt)) return;
    survived.push({
      node: name,
      uid,
      zone,
      silentMs,
      endedAt: beatAt,
      fixedMs,
      isRhythm: isRhythm(silentMs, intervalMs),
      ...optional('known', beats?.patience),
      ...optional('range', range),
    });
  };
  await mapInSlices(nodes, look, pause);
  return { looks, survived };
};
