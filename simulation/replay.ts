/** Recordings of runs, and how a run with another configuration differs from one. */

import type { Happening } from './figures/history.ts';
import type { Figures } from './figures.ts';
import type { Plan } from './plan/plan.ts';
import { ScenarioError } from './plan/yaml-fields.ts';
import { clockText, figureRows } from './timeline.ts';

/** A recorded run: its plan (schedules of heartbeats, faults, API writes) and its results. */
export interface Recording {
  readonly rollcall: 'simulation';
  readonly version: 1;
  readonly plan: Plan;
  readonly figures: Figures;
  readonly happenings: readonly Happening[];
}

/** Parses a recording. Throws a `ScenarioError` if `text` is none. */
export const parseRecording = (text: string, file: string): Recording => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  const found = (value ?? {}) as Partial<Recording>;
  if (
    found.rollcall === 'simulation' &&
    found.version === 1 &&
    found.plan &&
    found.figures &&
    found.happenings
  )
    return found as Recording;
  throw new ScenarioError(
    `${file} is not a recording of a simulation; create one with rollcall simulate NAME --record FILE`,
  );
};

const subjectOf = (one: Happening): string => {
  if ('pod' in one) return one.pod;
  return one.kind === 'zone' ? one.zone : one.node;
};

const WORDS = {
  unknown: 'Ready=Unknown',
  tainted: 'NoExecute taint',
  evicted: 'eviction',
} as const;

type Compared = keyof typeof WORDS;

/** The first happening of this kind for each subject: its instant by the name of the node, pod or zone. */
const firsts = (happenings: readonly Happening[], kind: Compared): ReadonlyMap<string, number> => {
  const found = new Map<string, number>();
  for (const one of happenings)
    if (one.kind === kind && !found.has(subjectOf(one))) found.set(subjectOf(one), one.at);
  return found;
};

const listed = (names: readonly string[]): string =>
  names.length <= 5 ? names.join(', ') : `${names.slice(0, 5).join(', ')} and ${names.length - 5} more`;

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const differencesOf = (
  kind: Compared,
  before: readonly Happening[],
  after: readonly Happening[],
  startAt: number,
) => {
  const [was, is] = [firsts(before, kind), firsts(after, kind)];
  const missing = [...was.keys()].filter((name) => !is.has(name));
  const added = [...is.keys()].filter((name) => !was.has(name));
  const moved = [...was].flatMap(([name, at]) => {
    const now = is.get(name);
    return now === undefined || now === at ? [] : [{ name, at, now }];
  });
  const [first] = moved.toSorted((a, b) => a.at - b.at);
  const shift = medianOf(moved.map(({ at, now }) => now - at)) / 1000;
  return [
    ...(missing.length > 0 ? [`no ${WORDS[kind]}: ${listed(missing)}`] : []),
    ...(added.length > 0 ? [`${WORDS[kind]} only now: ${listed(added)}`] : []),
    ...(first
      ? [
          `${WORDS[kind]} at another time: ${moved.length}, by ${shift > 0 ? '+' : ''}${shift} s in the middle; the first is ${first.name}, ${clockText(first.now - startAt)} instead of ${clockText(first.at - startAt)}`,
        ]
      : []),
  ];
};

/** The differences as lines of text; empty if there are none. */
export const comparison = (
  recorded: Pick<Recording, 'figures' | 'happenings' | 'plan'>,
  replayed: Pick<Recording, 'figures' | 'happenings'>,
): readonly string[] => {
  const before = new Map(figureRows(recorded.figures));
  const after = new Map(figureRows(replayed.figures));
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const figures = names.flatMap((name) => {
    const [was, is] = [before.get(name) ?? '–', after.get(name) ?? '–'];
    return was === is ? [] : [`${name.trim()}: ${was}  →  ${is}`];
  });
  const kinds = Object.keys(WORDS) as Compared[];
  return [
    ...figures,
    ...kinds.flatMap((kind) =>
      differencesOf(kind, recorded.happenings, replayed.happenings, recorded.plan.startAt),
    ),
  ];
};
