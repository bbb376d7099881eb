/** What the parts of the bench return. A figure is a measurement, never a verdict: nothing here fails on a slow machine. */

export type Target = { readonly atMost: number } | { readonly atLeast: number };

/** A measurement relative to another one of the same run, the only kind that travels between machines. */
export interface Ratio {
  readonly value: number;
  /** What it is a multiple of. */
  readonly to: string;
}

export interface Figure {
  readonly name: string;
  /** Unit of `value`, `min`, `p99` and `target`. */
  readonly unit: string;
  /** The median where there are samples. */
  readonly value: number;
  readonly min?: number;
  readonly p99?: number;
  readonly samples?: number;
  readonly ratio?: Ratio;
  readonly target?: Target;
  readonly note?: string;
}

/** A part whose needs are missing says why instead of measuring. */
export interface Skipped {
  readonly skipped: string;
}

export type Findings = readonly Figure[] | Skipped;

export interface BenchOptions {
  /** Also what takes minutes. */
  readonly large: boolean;
  /** Print each miss of the conformance replay. */
  readonly show: boolean;
  /** Of the part `side`: how often each side does everything; default 3. */
  readonly rounds?: number;
  /** Of the part `side`: a share of all counts, for a trial; default 1. */
  readonly scale?: number;
  /** Of the part `side`: the folder of Kubernetes' programs; absent: they are built. */
  readonly kubeFolder?: string;
}

/** One idea to measure. */
export type Bench = (options: BenchOptions) => Promise<Findings>;

export const isSkipped = (found: object): found is Skipped => 'skipped' in found;

/** Whether the target is reached; `undefined` where none is set. */
export const isMet = ({ value, target }: Figure): boolean | undefined => {
  if (!target) return undefined;
  return 'atMost' in target ? value <= target.atMost : value >= target.atLeast;
};
