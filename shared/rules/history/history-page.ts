/** The history of a fleet in pages, as the dashboard's server sends it and its page puts it together. */
import type { EpochMs } from '../../kube/values/time.ts';
import type { FleetRecord, Gap, RecordedEviction, RecordedZone } from './record.ts';
import type { SeenNode } from './seen-node.ts';

/** How much of each list a reader has; it asks for what follows. */
export interface HistoryPosition {
  readonly epoch: number;
  readonly nodes: number;
  readonly states: number;
  readonly changes: number;
  readonly evictions: number;
  readonly zones: number;
}

/** A part of each list. `isWhole`: there is no more now. */
export interface HistoryPage {
  readonly epoch: number;
  /** The reader has nothing of this epoch: the page begins the record anew. */
  readonly isFirst: boolean;
  readonly isWhole: boolean;
  readonly since: EpochMs;
  readonly until: EpochMs;
  readonly gaps: readonly Gap[];
  readonly nodes: readonly string[];
  readonly base: readonly number[];
  readonly states: readonly SeenNode[];
  /** Triples of instant, node and state. */
  readonly changes: readonly number[];
  readonly evictions: readonly RecordedEviction[];
  readonly zones: readonly RecordedZone[];
}

/** The position of a reader who has nothing. */
export const NOTHING_READ: HistoryPosition = {
  epoch: -1,
  nodes: 0,
  states: 0,
  changes: 0,
  evictions: 0,
  zones: 0,
};

const LISTS = ['nodes', 'states', 'changes', 'evictions', 'zones'] as const;

/** The next page of a record, with at most `most` members of each list. */
export const pageAfter = (
  record: FleetRecord,
  epoch: number,
  position: HistoryPosition,
  most: number,
): HistoryPage => {
  const isFirst = position.epoch !== epoch;
  const from = isFirst ? NOTHING_READ : position;
  const part = <T>(members: readonly T[], begin: number): readonly T[] => members.slice(begin, begin + most);
  const { since, until, gaps } = record;
  return {
    epoch,
    isFirst,
    since,
    until,
    gaps,
    isWhole: LISTS.every((list) => from[list] + most >= record[list].length),
    nodes: part(record.nodes, from.nodes),
    base: part(record.base, from.nodes),
    states: part(record.states, from.states),
    changes: part(record.changes, from.changes).flatMap(({ at, node, state }) => [at, node, state]),
    evictions: part(record.evictions, from.evictions),
    zones: part(record.zones, from.zones),
  };
};

/** What a reader has. */
export interface HistoryCopy {
  readonly position: HistoryPosition;
  readonly record: FleetRecord;
}

const NO_RECORD: FleetRecord = {
  since: 0,
  until: 0,
  gaps: [],
  nodes: [],
  states: [],
  base: [],
  changes: [],
  evictions: [],
  zones: [],
};

/** The copy of a reader who has nothing. */
export const NO_HISTORY: HistoryCopy = { position: NOTHING_READ, record: NO_RECORD };

const changesOf = (numbers: readonly number[]) =>
  Array.from({ length: Math.floor(numbers.length / 3) }, (_, place) => ({
    at: numbers[3 * place] ?? 0,
    node: numbers[3 * place + 1] ?? 0,
    state: numbers[3 * place + 2] ?? -1,
  }));

/** A copy with the next page. */
export const withPage = (copy: HistoryCopy, page: HistoryPage): HistoryCopy => {
  const { since, until, gaps, epoch } = page;
  const before = page.isFirst ? NO_RECORD : copy.record;
  const record: FleetRecord = {
    since,
    until,
    gaps,
    nodes: [...before.nodes, ...page.nodes],
    base: [...before.base, ...page.base],
    states: [...before.states, ...page.states],
    changes: [...before.changes, ...changesOf(page.changes)],
    evictions: [...before.evictions, ...page.evictions],
    zones: [...before.zones, ...page.zones],
  };
  const { nodes, states, changes, evictions, zones } = record;
  const lengths = { nodes: nodes.length, states: states.length, changes: changes.length };
  return { record, position: { epoch, ...lengths, evictions: evictions.length, zones: zones.length } };
};
