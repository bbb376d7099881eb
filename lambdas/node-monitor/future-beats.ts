/** Beats and a clock floor that were stored by a clock that was ahead: they count as of now, and silence counts from there. */
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { ControlStore, PassRecord } from '../../shared/ports/store/control-store.ts';
import type { HeartbeatItem, HeartbeatStore } from '../../shared/ports/store/heartbeats.ts';
import type { NodeHealthRow } from '../../shared/rules/nodes/node-health.ts';
import {
  type BeatInstants,
  furthestAhead,
  isAhead,
  takeBackBeats,
} from '../../shared/rules/zones/future-instants.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import type { Fleet } from './judge/read-fleet.ts';
import { mapInSlices, type Pause } from './judge/slices.ts';
import type { NodeError } from './report.ts';

/** Most nodes whose beats one pass takes back: 10,000 take four passes. */
const MOST_TAKEN_BACK = 2_500;
/** Milliseconds that taking back gets even where other writes used up the time. */
const TAKE_BACK_MS = 1_000;

interface FutureBeats {
  readonly node: string;
  readonly uid: string;
  readonly item: HeartbeatItem;
  readonly aheadAt: EpochMs;
}

/** The nodes with beats that are ahead of `now`. */
export const futureBeatsOf = async (
  { nodes, items }: Pick<Fleet, 'nodes' | 'items'>,
  now: EpochMs,
  pause?: Pause,
): Promise<readonly FutureBeats[]> => {
  const found: FutureBeats[] = [];
  const look = ({ name, uid }: NodeHealthRow, index: number): void => {
    const item = items[index];
    const aheadAt = item?.uid === uid ? furthestAhead(item, now) : undefined;
    if (item && aheadAt !== undefined) found.push({ node: name, uid, item, aheadAt });
  };
  await mapInSlices(nodes, look, pause);
  return found;
};

/** Nodes whose beats were never taken back come first, then those whose beats were taken back longest ago. */
const byTurn = (a: FutureBeats, b: FutureBeats): number => (a.item.aheadAt ?? 0) - (b.item.aheadAt ?? 0);

export interface TakeBackDeps {
  readonly clock: Clock;
  readonly heartbeats: Pick<HeartbeatStore, 'takeBack'>;
  readonly config: { readonly writeBudgetMs: number; readonly writeConcurrency: number };
}

type Outcome = { readonly isTakenBack: boolean } | NodeError;

const takeBackOne = async (
  { clock, heartbeats }: TakeBackDeps,
  { node, uid, item }: FutureBeats,
): Promise<Outcome> => {
  const read: BeatInstants = item;
  const next = takeBackBeats(read, clock.now());
  try {
    return { isTakenBack: next !== undefined && (await heartbeats.takeBack({ node, uid, read, next })) };
  } catch (error) {
    return { node, error };
  }
};

/** Takes back what was read ahead of the clock, for a limited number of nodes. An item that was written meanwhile is left alone. */
export const takeBackFutureBeats = async (
  deps: TakeBackDeps,
  found: readonly FutureBeats[],
  startedAt: EpochMs,
): Promise<{ readonly takenBack: number; readonly errors: readonly NodeError[] }> => {
  const { clock, config } = deps;
  const until = Math.max(startedAt + config.writeBudgetMs, clock.now() + TAKE_BACK_MS);
  const turns = found.toSorted(byTurn).slice(0, MOST_TAKEN_BACK);
  const outcomes = await inParallel(turns, config.writeConcurrency, async (one) =>
    clock.now() < until ? takeBackOne(deps, one) : { isTakenBack: false },
  );
  return {
    takenBack: outcomes.filter((outcome) => 'isTakenBack' in outcome && outcome.isTakenBack).length,
    errors: outcomes.flatMap((outcome) => ('error' in outcome ? [outcome] : [])),
  };
};

/** How far the furthest of `beats` and the stored clock floor are ahead of `now` (ms); 0: none is. */
export const furthestAheadMs = (
  beats: readonly FutureBeats[],
  { clockFloor }: PassRecord,
  now: EpochMs,
): number => {
  const floor = isAhead(clockFloor, now) ? clockFloor : now;
  return beats.reduce((furthest, { aheadAt }) => Math.max(furthest, aheadAt), floor) - now;
};

/** Takes back a stored clock floor that is ahead; `floorAt` says what counts in this pass. */
export const takeBackFloor = async (
  { control }: { readonly control: Pick<ControlStore, 'takeBackClockFloor'> },
  pass: PassRecord,
  now: EpochMs,
): Promise<void> => {
  if (isAhead(pass.clockFloor, now)) await control.takeBackClockFloor(pass.clockFloor, now);
};
