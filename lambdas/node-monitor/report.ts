import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { DisruptionMode } from '../../shared/rules/zones/disruption-mode.ts';
import type { ZoneState } from '../../shared/rules/zones/zone-state.ts';
import type { Judgement } from './judge/judgement.ts';
import type { NodeOutcome } from './write/write-node.ts';
import type { Outcomes } from './write/write-nodes.ts';

/** What a pass found and did in one zone. */
export interface ZoneReport {
  /** Name of the zone by its labels, see `zoneNameOf`. */
  readonly zone: string;
  readonly state: ZoneState;
  readonly size: number;
  readonly notReady: number;
  /** Percent of the counted nodes that are ready; 100 if none counts. */
  readonly health: number;
  /** Nodes per second that may get a NoExecute taint. */
  readonly rate: number;
  /** Nodes that wait for a NoExecute taint. */
  readonly waiting: number;
  /** Whether the pass sent a wake-up. */
  readonly woken: boolean;
}

export interface PassCounts {
  /** Nodes that the pass read. */
  readonly nodes: number;
  /** Nodes whose Ready is Unknown by the decisions of the pass, written or not. */
  readonly silent: number;
  /** Nodes that will be silent at the next pass unless they beat. */
  readonly almostSilent: number;
  /** Nodes whose Ready the pass changed to Unknown. */
  readonly flips: number;
  /** Nodes whose Ready the pass changed to True. */
  readonly readied: number;
  /** Silent nodes that keep their Ready because a policy paces their zone. */
  readonly heldBack: number;
  /** NoExecute taints swapped or removed outside of a flip. */
  readonly retainted: number;
  /** Nodes whose health taints were removed in full disruption. */
  readonly stripped: number;
  readonly conflicts: number;
  /** Nodes left to the next pass because the time for writes was over. */
  readonly postponed: number;
}

/** A node that a pass could not read or write. */
export interface NodeError {
  readonly node: string;
  readonly error: unknown;
}

/** What a pass found ahead of its clock. */
export interface FutureReport {
  /** Nodes with a beat that was ahead when it was read. */
  readonly aheadNodes: number;
  /** Those whose beats were taken back; the others are left to the next pass. */
  readonly takenBack: number;
  /** How far the furthest beat, or the clock floor, was ahead (ms); 0: nothing was. */
  readonly furthestAheadMs: number;
}

/** What a pass found about relays. */
export interface RelayReport {
  /** Relays that have sent no batch for half a grace period. */
  readonly silentRelays: number;
  /** Nodes of sites that are cut off. */
  readonly cutOffNodes: number;
}

/** What nodes have learned of the silences that they survived. */
export interface LearnReport {
  /** The grace periods (ms) that the pass has lengthened. */
  readonly gracesMs: readonly number[];
  /** Whether a later pass has to judge a silence that has ended. */
  readonly awaitsSilences: boolean;
}

/** What somebody who watches the fleet asks of a pass. */
export interface FleetFigures {
  /** How many nodes of a zone have this status of Ready; `Unreported`: it was never written. */
  readonly statuses: readonly { readonly zone: string; readonly ready: string; readonly nodes: number }[];
  /** For how long (ms) each node had been silent that the pass made Unknown. */
  readonly silencesMs: readonly number[];
}

/** The tick is old, another pass holds the lease, or no pass can find anything. */
export interface Skipped {
  readonly outcome: 'skipped';
  readonly tick: EpochMs;
}

/** What a run of the schedule found. */
export interface TicksReport {
  readonly outcome: 'queued';
  /** See `monitorLag`. */
  readonly lagMs: number;
}

export type PassReport =
  | Skipped
  | (PassCounts &
      FutureReport &
      RelayReport &
      LearnReport & {
        readonly outcome: 'done';
        readonly tick: EpochMs;
        readonly pass: number;
        readonly durationMs: number;
        readonly mode: DisruptionMode;
        readonly zones: readonly ZoneReport[];
        readonly errors: readonly NodeError[];
        /** Flips whose Events were not recorded for lack of time. Absent while they are recorded. */
        readonly unrecorded?: number;
        readonly figures: FleetFigures;
      });

const actionOf = (outcome: NodeOutcome): string =>
  outcome.outcome === 'written' ? outcome.judgement.health.action : outcome.outcome;

/** The counts of a pass that concern nodes. `nodes`: how many it read. `fleet`: those that are left, see `afterWrites`. */
export const countsOf = (
  nodes: number,
  fleet: readonly Judgement[],
  outcomes: Outcomes,
): Omit<PassCounts, 'stripped' | 'postponed'> => {
  const actions = [...outcomes.values()].map(actionOf);
  const count = (action: string): number => actions.filter((one) => one === action).length;
  return {
    nodes,
    silent: fleet.filter(({ ready }) => ready === 'Unknown').length,
    almostSilent: fleet.filter(({ isAlmostSilent }) => isAlmostSilent).length,
    heldBack: fleet.filter(({ isHeldBack }) => isHeldBack).length,
    flips: count('markUnknown'),
    readied: count('markReady'),
    retainted: count('none'),
    conflicts: count('conflict') + count('refused'),
  };
};

/** The nodes that could not be read or written, with their errors. */
export const errorsOf = (outcomes: Outcomes): readonly NodeError[] =>
  [...outcomes].flatMap(([node, outcome]) =>
    outcome.outcome === 'failed' ? [{ node, error: outcome.error }] : [],
  );
