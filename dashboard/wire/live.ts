/** What the server of the dashboard sends to its page: cells of the wall and zones, as changes since a position. */
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { DrainLine } from '../../shared/rules/roll-call/drain-line.ts';
import type { Mark } from '../../shared/rules/roll-call/node-marks.ts';
import type { PodEviction } from '../../shared/rules/roll-call/pod-evictions.ts';
import type { SourceState } from './source.ts';

/** A node on the wall. */
export interface Cell {
  readonly name: string;
  readonly zone: string;
  /** The group of machines that it belongs to, by the labels that clouds put; '' without one. */
  readonly pool: string;
  /** By its label; '' without one. */
  readonly rack: string;
  /** The mark that counts most, without lateness, which is a matter of time. */
  readonly mark: Mark;
  /** When its last beat came, if it is late; else 0. */
  readonly silentSince: EpochMs;
  /** How long it may be silent, ms. */
  readonly graceMs: number;
}

/** A cell as it is sent: a hundred thousand of them are a few megabytes. */
export type CellRow = readonly [
  name: string,
  zone: string,
  pool: string,
  rack: string,
  mark: Mark,
  silentSince: EpochMs,
  graceMs: number,
];

/** A zone, with the beginning of its waiting line. */
export interface LiveZone {
  readonly name: string;
  /** The name of its Zone object. */
  readonly id: string;
  readonly state: string;
  readonly size: number;
  readonly ready: number;
  /** Nodes per second. */
  readonly rate: number;
  readonly nextAt: EpochMs;
  readonly waiting: readonly string[];
  readonly waitingCount: number;
  readonly changedAt: EpochMs | undefined;
  readonly reason: string;
}

/** A pod that leaves its node because of a taint. */
export interface DueEviction extends PodEviction {
  readonly node: string;
  readonly zone: string;
}

/** The drain of a node that is not empty yet. */
export interface DueDrain {
  readonly node: string;
  readonly zone: string;
  readonly drain: DrainLine;
}

/** A pod that leaves a node that does not answer, and whose StatefulSet makes no successor before it is gone for sure. */
export interface HeldPod {
  readonly node: string;
  readonly pod: string;
}

/** When a late node becomes Unknown, as the control plane says. */
export interface DueUnknown {
  readonly node: string;
  /** The last beat of the node from which it follows, ms. */
  readonly beatAt: EpochMs;
  /** The pass that finds it silent, ms; absent: its zone paces that, so there is no such instant. */
  readonly at?: EpochMs;
}

/** What is due and cannot be seen from cells and zones: the first ones, and how many there are. */
export interface LiveDue {
  /** The soonest first. */
  readonly evictions: readonly DueEviction[];
  readonly evictionCount: number;
  readonly drains: readonly DueDrain[];
  readonly drainCount: number;
  readonly held: readonly HeldPod[];
  readonly heldCount: number;
  /** Of the first late nodes. */
  readonly unknowns: readonly DueUnknown[];
}

/** What changed since the last message of the same stream. */
export interface LiveChange {
  /** The server's clock. */
  readonly now: EpochMs;
  /** What was sent before no longer holds: a fresh snapshot begins. */
  readonly isReset?: boolean;
  /** Whether the page has everything after this message. */
  readonly isWhole: boolean;
  readonly cells: readonly CellRow[];
  /** Names of nodes that are gone, or no longer selected. */
  readonly gone: readonly string[];
  readonly zones?: readonly LiveZone[];
  readonly due?: LiveDue;
  /** How the server stands to the API. */
  readonly source: SourceState;
}

export const rowOf = (cell: Cell): CellRow => [
  cell.name,
  cell.zone,
  cell.pool,
  cell.rack,
  cell.mark,
  cell.silentSince,
  cell.graceMs,
];

export const cellOf = ([name, zone, pool, rack, mark, silentSince, graceMs]: CellRow): Cell => ({
  name,
  zone,
  pool,
  rack,
  mark,
  silentSince,
  graceMs,
});
