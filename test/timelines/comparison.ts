/** What a recording and a run have in common. */
import { type Json, normalised } from './fields.ts';
import type { Happenings } from './history.ts';

/** By what happened: for each time, the first and the last second in which a recorded run saw it. */
type Ranges = Readonly<Record<string, readonly (readonly [number, number])[]>>;

export interface Recording {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly final: Readonly<Record<string, unknown>>;
  readonly summary: Ranges;
  /** What happened in some recorded runs only. */
  readonly loose?: Readonly<Record<string, unknown>>;
}

export interface Run {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly finals: Readonly<Record<string, unknown>>;
  /** By several notions of which changes belong together; what is as recorded by one of them is so. */
  readonly happenings: readonly Happenings[];
  /** How late the scenario itself was at most, s. */
  readonly late: number;
}

/** One compared thing. */
export interface Compared {
  readonly name: string;
  readonly problem?: string;
}

/** In any order of keys. */
const textOf = (value: unknown): string =>
  JSON.stringify(normalised((value ?? null) as Json, (text) => text));

const isSame = (a: unknown, b: unknown): boolean => textOf(a) === textOf(b);

const compareValues = (
  what: string,
  recorded: Recording['facts'],
  got: Recording['facts'],
): readonly Compared[] =>
  Object.entries(recorded).map(([key, value]) => {
    const name = `${what} ${key}`;
    if (isSame(value, got[key])) return { name };
    return { name, problem: `recorded ${JSON.stringify(value)}, here ${JSON.stringify(got[key])}` };
  });

const problemOf = (
  ranges: Ranges[string],
  instants: readonly number[],
  tolerance: number,
): string | undefined => {
  const isInTime = (at: number, index: number): boolean => {
    const [first, last] = ranges[index] ?? [0, 0];
    return at >= first - tolerance && at <= last + tolerance;
  };
  if (instants.length === ranges.length && instants.every(isInTime)) return undefined;
  return `recorded at ${JSON.stringify(ranges)} s, here at ${JSON.stringify(instants)} s`;
};

/** `tolerance`: seconds by which an instant may lie outside of the recorded ones, besides those that the scenario was late. */
export const compare = (recording: Recording, run: Run, tolerance: number): readonly Compared[] => {
  const happened = Object.entries(recording.summary).map(([name, ranges]) => {
    const problems = run.happenings.map((one) => problemOf(ranges, one[name] ?? [], tolerance + run.late));
    const [problem] = problems;
    return problem === undefined || problems.includes(undefined) ? { name } : { name, problem };
  });
  const isAlways = (name: string): boolean => run.happenings.every((one) => name in one);
  const others = Object.entries(run.happenings[0] ?? {}).filter(
    ([name]) => !(name in recording.summary || name in (recording.loose ?? {})) && isAlways(name),
  );
  return [
    ...happened,
    ...others.map(([name, instants]) => ({ name, problem: `not recorded, here at ${instants.join()} s` })),
    ...compareValues('fact', recording.facts, run.facts),
    ...compareValues('final', recording.final, run.finals),
  ];
};
