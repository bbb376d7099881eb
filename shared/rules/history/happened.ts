/** What happened to a fleet, in words that people use: a node was lost, came back, was tainted, drained. */
import type { EpochMs } from '../../kube/values/time.ts';
import { type FleetRecord, placeAfter, statesAt } from './record.ts';
import type { SeenNode } from './seen-node.ts';

/** What may happen, in the order in which a list of kinds shows them. */
export const HAPPENED = [
  'lost',
  'notReady',
  'returned',
  'becameReady',
  'tainted',
  'untainted',
  'evicted',
  'drainAsked',
  'drainEnded',
  'cordoned',
  'uncordoned',
  'shutdownBegan',
  'shutdownEnded',
  'joined',
  'left',
] as const;
/** One of them. */
export type Happened = (typeof HAPPENED)[number];

/** Something that happened to a node; `pod` and `reason` for an eviction. */
export interface Moment {
  readonly at: EpochMs;
  readonly zone: string;
  readonly node: string;
  readonly what: Happened;
  readonly pod?: string;
  readonly reason?: string;
}

const READINESS = { True: 'becameReady', False: 'notReady', Unknown: 'lost', '-': 'notReady' } as const;

type Flag = (seen: SeenNode) => boolean;

const FLAGS: readonly (readonly [flag: Flag, begins: Happened, ends: Happened])[] = [
  [({ noExecute }) => noExecute.length > 0, 'tainted', 'untainted'],
  [({ isDraining }) => isDraining, 'drainAsked', 'drainEnded'],
  [({ isCordoned }) => isCordoned, 'cordoned', 'uncordoned'],
  [({ isShuttingDown }) => isShuttingDown, 'shutdownBegan', 'shutdownEnded'],
];

/** A cordon that belongs to a drain is not told twice. */
const isPartOfDrain = (what: Happened, all: readonly Happened[]): boolean =>
  (what === 'cordoned' && all.includes('drainAsked')) ||
  (what === 'uncordoned' && all.includes('drainEnded'));

/** What a change of a node means; absent: there was, or is, no Node. `wasReady`: it is known to have been ready before. */
export const whatHappened = (
  before: SeenNode | undefined,
  after: SeenNode | undefined,
  wasReady: boolean,
): readonly Happened[] => {
  if (!after) return before ? ['left'] : [];
  if (!before) return ['joined'];
  const becomes: Happened = after.ready === 'True' && wasReady ? 'returned' : READINESS[after.ready];
  const readiness = before.ready === after.ready ? [] : [becomes];
  const flags = FLAGS.flatMap(([flag, begins, ends]) => {
    const [was, is] = [flag(before), flag(after)];
    if (was === is) return [];
    return [is ? begins : ends];
  });
  const all: readonly Happened[] = [...readiness, ...flags];
  return all.filter((what) => !isPartOfDrain(what, all));
};

const zoneOf = (record: FleetRecord, node: string, states: Int32Array): string => {
  const place = record.nodes.indexOf(node);
  return record.states[states[place] ?? -1]?.zone ?? '';
};

const evictionMoments = (record: FleetRecord, from: EpochMs, to: EpochMs): readonly Moment[] => {
  const states = statesAt(record, to);
  const zones = new Map<string, string>();
  return record.evictions
    .slice(placeAfter(record.evictions, from), placeAfter(record.evictions, to))
    .map(({ at, node, pod, reason }) => {
      const zone = zones.get(node) ?? zoneOf(record, node, states);
      zones.set(node, zone);
      return { at, zone, node, pod, reason, what: 'evicted' };
    });
};

/** Keeps which nodes have been ready since they joined, as far as the record knows. */
const readyOnes = ({ base, states }: FleetRecord) => {
  const ready = new Set<number>();
  const note = (node: number, state: number): void => {
    const seen = states[state];
    if (!seen) ready.delete(node);
    else if (seen.ready === 'True') ready.add(node);
  };
  for (const [node, state] of base.entries()) note(node, state);
  return { has: (node: number): boolean => ready.has(node), note };
};

const nodeMoments = (record: FleetRecord, from: EpochMs, to: EpochMs): readonly Moment[] => {
  const states = statesAt(record, from);
  const ready = readyOnes(record);
  const begin = placeAfter(record.changes, from);
  for (const { node, state } of record.changes.slice(0, begin)) ready.note(node, state);
  return record.changes.slice(begin, placeAfter(record.changes, to)).flatMap(({ at, node, state }) => {
    const [before, after] = [record.states[states[node] ?? -1], record.states[state]];
    const wasReady = ready.has(node);
    states[node] = state;
    ready.note(node, state);
    const about = { at, node: record.nodes[node] ?? '', zone: (after ?? before)?.zone ?? '' };
    return whatHappened(before, after, wasReady).map((what) => ({ ...about, what }));
  });
};

/** What happened after `from` and up to `to`, in order. */
export const momentsBetween = (record: FleetRecord, from: EpochMs, to: EpochMs): readonly Moment[] =>
  [...nodeMoments(record, from, to), ...evictionMoments(record, from, to)].toSorted((a, b) => a.at - b.at);

/** The same thing that happened to several nodes of a zone, one soon after the other. */
export interface Episode {
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly zone: string;
  readonly what: Happened;
  readonly moments: readonly Moment[];
}

/** Moments of one kind and zone belong together while each is at most `withinMs` after the one before it. In the order of their beginnings. */
export const episodesOf = (moments: readonly Moment[], withinMs: number): readonly Episode[] => {
  const open = new Map<string, { zone: string; what: Happened; moments: Moment[] }>();
  const all: { zone: string; what: Happened; moments: Moment[] }[] = [];
  for (const moment of moments) {
    const key = `${moment.what} ${moment.zone}`;
    const known = open.get(key);
    if (known && moment.at - (known.moments.at(-1)?.at ?? 0) <= withinMs) known.moments.push(moment);
    else {
      const begun = { zone: moment.zone, what: moment.what, moments: [moment] };
      open.set(key, begun);
      all.push(begun);
    }
  }
  return all.map((one) => ({ ...one, from: one.moments[0]?.at ?? 0, to: one.moments.at(-1)?.at ?? 0 }));
};
