/** What happened to each node in two runs, side by side. */
import { printable } from '../shared/kube/text/printable.ts';
import type { EpochMs } from '../shared/kube/values/time.ts';
import type { Happening } from './figures/history.ts';
import { clockText } from './timeline.ts';

/** Most nodes that are listed. */
const MOST_ROWS = 40;

/** What happened to a node: first instants, and the number of pods that were evicted from it. */
export interface Fate {
  readonly zone: string;
  unknownAt?: EpochMs;
  taintedAt?: EpochMs;
  evicted: number;
}

/** What happened to each node, by its name. */
export const fatesOf = (happenings: readonly Happening[]): ReadonlyMap<string, Fate> => {
  const fates = new Map<string, Fate>();
  for (const one of happenings) {
    if (!('node' in one)) continue;
    const fate = fates.get(one.node) ?? { zone: one.zone, evicted: 0 };
    fates.set(one.node, fate);
    if (one.kind === 'unknown') fate.unknownAt ??= one.at;
    if (one.kind === 'tainted') fate.taintedAt ??= one.at;
    if (one.kind === 'evicted') fate.evicted += 1;
  }
  return fates;
};

/** A node whose fate differs; instants are texts such as `3m40s`, or `never`. */
export interface NodeDifference {
  readonly node: string;
  readonly zone: string;
  readonly unknown: readonly [was: string, is: string];
  readonly tainted: readonly [was: string, is: string];
  readonly evicted: readonly [was: string, is: string];
}

const pairs = ({ unknown, tainted, evicted }: NodeDifference) => [unknown, tainted, evicted];

/** The nodes that a run treats otherwise than another one, in the order in which they were hit. */
export const nodeDifferences = (
  before: readonly Happening[],
  after: readonly Happening[],
  startAt: EpochMs,
): readonly NodeDifference[] => {
  const [was, is] = [fatesOf(before), fatesOf(after)];
  const text = (at: EpochMs | undefined): string => (at === undefined ? 'never' : clockText(at - startAt));
  return [...new Set([...was.keys(), ...is.keys()])]
    .map((node): NodeDifference => {
      const [a, b] = [was.get(node), is.get(node)];
      return {
        node,
        zone: a?.zone ?? b?.zone ?? '',
        unknown: [text(a?.unknownAt), text(b?.unknownAt)],
        tainted: [text(a?.taintedAt), text(b?.taintedAt)],
        evicted: [String(a?.evicted ?? 0), String(b?.evicted ?? 0)],
      };
    })
    .filter((difference) => pairs(difference).some(([from, to]) => from !== to));
};

const cellOf = ([was, is]: readonly [string, string]): string => (was === is ? was : `${was} → ${is}`);

const HEADER = ['NODE', 'ZONE', 'UNKNOWN', 'TAINTED', 'PODS EVICTED'] as const;

/** The same as a table; empty if there are none. */
export const nodeTable = (differences: readonly NodeDifference[]): readonly string[] => {
  if (differences.length === 0) return [];
  const rows = differences
    .slice(0, MOST_ROWS)
    .map((one) => [printable(one.node), printable(one.zone), ...pairs(one).map(cellOf)]);
  const widths = HEADER.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const left = differences.length - rows.length;
  return [
    ...[[...HEADER], ...rows].map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    ),
    ...(left > 0 ? [`… and ${left} more nodes`] : []),
  ];
};
