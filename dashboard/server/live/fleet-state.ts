/** The fleet as the dashboard shows it: a cell for each node, each with the number of its last change. */

import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import { type NodeLine, nodeLineOf } from '../../../shared/rules/roll-call/node-line.ts';
import { type Mark, marksOf } from '../../../shared/rules/roll-call/node-marks.ts';
import type { Cell, DueDrain } from '../../wire/live.ts';
import { type Beats, createBeats } from './beats.ts';
import { type LateNode, MOST_ASKED } from './forecasts.ts';
import type { Hearing } from './silence.ts';

/** A node as the server keeps it: much less than its object. */
export interface Entry {
  readonly cell: Cell;
  readonly line: NodeLine;
  readonly labels: Readonly<Record<string, string>>;
  /** Number of its last change; higher ones are later. */
  readonly change: number;
  /** It is gone. Kept so that pages hear of it. */
  readonly isGone: boolean;
}

/** Labels by which clouds tell groups of machines, the first one that is there counts. */
const POOLS = [
  'eks.amazonaws.com/nodegroup',
  'karpenter.sh/nodepool',
  'cloud.google.com/gke-nodepool',
  'kubernetes.azure.com/agentpool',
  'node.kubernetes.io/instance-type',
];
const RACK = 'topology.kubernetes.io/rack';
const EMPTY: Readonly<Record<string, string>> = {};
/** Nodes that are gone, of which pages hear that have been cut off meanwhile. */
const MOST_GONE = 10_000;

const markOf = (line: NodeLine): Mark =>
  marksOf(line, 0, { nodeMonitorGracePeriodMs: Number.POSITIVE_INFINITY })[0];

const poolOf = (labels: Readonly<Record<string, string>>): string =>
  POOLS.map((label) => labels[label]).find((value) => value !== undefined) ?? '';

const isSame = (a: Cell, b: Cell): boolean =>
  a.mark === b.mark &&
  a.silentSince === b.silentSince &&
  a.graceMs === b.graceMs &&
  a.zone === b.zone &&
  a.pool === b.pool &&
  a.rack === b.rack;

/** What the labels and the state of a node come to on the wall. */
const cellOf = (line: NodeLine, labels: Readonly<Record<string, string>>, beats: Beats): Cell => ({
  name: line.name,
  zone: line.zone,
  pool: poolOf(labels),
  rack: labels[RACK] ?? '',
  mark: markOf(line),
  silentSince: beats.silentSince(line),
  graceMs: beats.graceOf(line.name),
});

/** Forgets nodes that are gone. Returns the last change of one: positions before it can no longer be continued from. */
const forgetGone = (entries: Map<string, Entry>): number => {
  let last = 0;
  for (const [name, entry] of entries)
    if (entry.isGone) {
      last = Math.max(last, entry.change);
      entries.delete(name);
    }
  return last;
};

/** Keeps which nodes are being drained. */
const createDrains = () => {
  const names = new Set<string>();
  let version = 0;
  return {
    version: () => version,
    note: ({ name, drain }: NodeLine, before: NodeLine | undefined): void => {
      if (drain) names.add(name);
      else names.delete(name);
      if (JSON.stringify(drain) !== JSON.stringify(before?.drain)) version += 1;
    },
    drop: (name: string): void => {
      if (names.delete(name)) version += 1;
    },
    all: (lineOf: (name: string) => NodeLine | undefined): readonly DueDrain[] =>
      [...names].flatMap((node) => {
        const line = lineOf(node);
        return line?.drain ? [{ node, zone: line.zone, drain: line.drain }] : [];
      }),
  };
};

/** Keeps the entries, and numbers their changes. */
const createEntries = (beats: Beats) => {
  const entries = new Map<string, Entry>();
  const drains = createDrains();
  let [change, zoneChange, gone, oldest] = [0, 0, 0, 0];

  const put = (line: NodeLine, labels: Readonly<Record<string, string>>): void => {
    const { name } = line;
    const known = entries.get(name);
    const cell = cellOf(line, labels, beats);
    if (known?.isGone) gone -= 1;
    drains.note(line, known?.line);
    const isChanged = !known || known.isGone || !isSame(known.cell, cell);
    if (isChanged || known.line.ready !== line.ready) zoneChange = change + 1;
    entries.set(name, { cell, line, labels, isGone: false, change: isChanged ? ++change : known.change });
  };

  const drop = (name: string): void => {
    const known = entries.get(name);
    if (!known || known.isGone) return;
    change += 1;
    gone += 1;
    zoneChange = change;
    drains.drop(name);
    entries.set(name, { ...known, labels: EMPTY, isGone: true, change });
    if (gone <= MOST_GONE) return;
    oldest = forgetGone(entries);
    gone = 0;
  };

  return {
    put,
    drop,
    entries: (): ReadonlyMap<string, Entry> => entries,
    /** Number of the last change. */
    latest: () => change,
    /** Number of the last change that zones show. */
    latestOfZones: () => zoneChange,
    /** Changes after this one are all known. */
    oldest: () => oldest,
    /** The zones have changed. */
    zonesChanged: (): void => {
      zoneChange = ++change;
    },
    /** Rises with each change of a drain. */
    drainVersion: drains.version,
    /** The drains of nodes that are not empty yet. */
    draining: () => drains.all((node) => entries.get(node)?.line),
  };
};

/** What a look finds. */
export interface Lateness {
  /** The first late nodes. */
  readonly late: readonly LateNode[];
  /** Some node may be late, so that Leases have to be read again. */
  readonly isDoubtful: boolean;
}

/** Keeps the fleet, as it was when its source was heard last. */
export const createFleetState = (hearing: Hearing) => {
  const { asOf } = hearing;
  const beats = createBeats(hearing);
  const { put, drop, ...kept } = createEntries(beats);
  const entries = kept.entries();
  let seen = new Set<string>();

  return {
    ...kept,
    nodesBegin: (): void => {
      seen = new Set();
    },
    node: (object: ApiObject): void => {
      seen.add(object.metadata.name);
      put(nodeLineOf(object, [], {}, asOf()), object.metadata.labels ?? EMPTY);
    },
    nodesEnd: (): void => {
      for (const [name, { isGone }] of entries) if (!isGone && !seen.has(name)) drop(name);
    },
    nodeGone: ({ metadata }: ApiObject): void => drop(metadata.name),
    leasesBegin: beats.begin,
    leasesEnd: beats.end,
    lease: (object: ApiObject): void => {
      beats.put(object);
      const { name } = object.metadata;
      const known = entries.get(name);
      if (!known || known.isGone) return;
      if (known.cell.silentSince > 0 || known.cell.graceMs !== beats.graceOf(name))
        put(known.line, known.labels);
    },
    leaseGone: beats.drop,
    leaseOf: beats.leaseOf,
    /** Finds nodes that have become late since the last look. */
    look: (): Lateness => {
      const late: LateNode[] = [];
      let isDoubtful = false;
      for (const { cell, line, labels, isGone } of entries.values()) {
        if (isGone) continue;
        const beatAt = beats.silentSince(line);
        if (cell.silentSince !== beatAt) put(line, labels);
        if (beatAt > 0 && late.length < MOST_ASKED) late.push({ node: line.name, beatAt });
        isDoubtful ||= beats.isDoubtful(line);
      }
      return { late, isDoubtful };
    },
  };
};

export type FleetState = ReturnType<typeof createFleetState>;
