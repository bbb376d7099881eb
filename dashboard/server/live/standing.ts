/** How the collections that are followed stand: whether all have come since the API answers, and which of them it refuses. */
import { StatusError } from '../../../shared/kube/errors/status-error.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { SourceState } from '../../wire/source.ts';
import type { Follower } from './follow.ts';
import type { Source } from './source.ts';

/** What a follower hears of a collection. */
export type Told = Omit<Follower, 'onFailure' | 'onAnswer'>;

interface Problem {
  readonly since: EpochMs;
  readonly reason: string;
  /** The API has answered that it will not say. */
  readonly isRefusal: boolean;
  /** Of the source at the last failure. A failure of before its return says nothing of now. */
  readonly round: AbortSignal;
}

/** Too many requests, and a request that took too long, are answers like that of a server that is down. */
const isRefusal = (error: unknown): boolean =>
  error instanceof StatusError && error.code >= 400 && error.code < 500 && ![408, 429].includes(error.code);

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const stateOf = ({ since, reason, isRefusal: is }: Problem, asOf: EpochMs): SourceState =>
  is ? { is: 'refused', asOf, reason } : { is: 'lost', asOf, since, reason };

const firstOf = (problems: readonly Problem[]): Problem | undefined =>
  problems.toSorted((a, b) => a.since - b.since)[0];

/** Keeps it for the collections of `paths`, and tells the source when all of them have come. */
export const createStanding = (source: Source, paths: readonly string[]) => {
  const problems = new Map<string, Problem>();
  const come = new Map<string, AbortSignal>();
  let known: EpochMs | undefined;

  const isRead = (): boolean => paths.every((one) => come.get(one) === source.round());
  const whole = (path: string): void => {
    come.set(path, source.round());
    if (isRead()) source.caughtUp();
  };
  const present = (): Problem | undefined =>
    firstOf([...problems.values()].filter((one) => one.isRefusal || one.round === source.round()));
  const asOf = (): EpochMs => {
    if (isRead()) known = source.asOf();
    return Math.min(
      known ?? source.asOf(),
      firstOf([...problems.values()])?.since ?? Number.POSITIVE_INFINITY,
    );
  };
  const teller = (path: string): Pick<Follower, 'onAnswer' | 'onFailure'> => ({
    onAnswer: () => void problems.delete(path),
    onFailure: (error) => {
      const since = problems.get(path)?.since ?? source.asOf();
      const [reason, round] = [reasonOf(error), source.round()];
      problems.set(path, { since, reason, isRefusal: isRefusal(error), round });
    },
  });

  return {
    asOf,
    silence: source.silence,
    /** Whether a collection has come at all. */
    has: (path: string): boolean => come.has(path),
    /** The watches begin anew. */
    forget: (): void => {
      come.clear();
      problems.clear();
    },
    teller,
    /** The follower of one of `paths`, which keeps the standing besides. */
    told: (path: string, its: Told): Follower => ({
      ...its,
      ...teller(path),
      onWhole: () => {
        its.onWhole();
        whole(path);
      },
    }),
    state: (): SourceState => {
      const [state, problem, at] = [source.state(), present(), asOf()];
      if (state.is === 'lost') return { ...state, asOf: at };
      if (problem) return stateOf(problem, at);
      if (isRead() && problems.size === 0) return state;
      return { is: paths.every((one) => come.has(one)) ? 'catching up' : 'reading', asOf: at };
    },
  };
};
