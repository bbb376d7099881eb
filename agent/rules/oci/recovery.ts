/** What has become of a container, by what its machine shows. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { Known } from '../known.ts';

/** What the runtime knows of a container. */
export type OciState = 'created' | 'running' | 'stopped' | 'nothing';

/** The traces of one attempt to run a container. */
export interface Traces {
  /** The agent has stored that the program is about to run. It does this before it asks the runtime for that. */
  readonly isStarted: boolean;
  /** The keeper has stored how the program ended. */
  readonly exit?: { readonly code: number; readonly at: EpochMs };
  /** The keeper has noted that the kernel ended a process for want of memory. */
  readonly isOutOfMemory: boolean;
  /** Not known: the runtime does not answer. */
  readonly runtime: Known<OciState>;
  /** The keeper, which has the outputs of the program and sees its end, lives. */
  readonly hasKeeper: boolean;
  /** Since the keeper was first seen without a program (ms); 0: now. */
  readonly withoutProgramMs: number;
}

/**
 * - `unstarted`: the program never ran. What is left is discarded, and the same container may start.
 * - `created`: the agent ended before the runtime was asked to start the program: it is asked now. A second request does no harm.
 * - `running`.
 * - `orphaned`: it runs, and its outputs go nowhere. It is killed, and is lost then.
 * - `ended`: its keeper has said how.
 * - `lost`: it does not run, and nothing says how it ended.
 * - `ending`: its keeper is about to say how it ended.
 * - `unknown`: the runtime does not answer. Nothing may follow from that.
 */
export type Recovered =
  | { readonly is: 'unstarted' | 'created' | 'running' | 'orphaned' | 'lost' | 'ending' | 'unknown' }
  | { readonly is: 'ended'; readonly code: number; readonly at: EpochMs; readonly isOutOfMemory: boolean };

/** How long a keeper may take to say how its program ended, ms. */
const KEEPER_MS = 5_000;

const withoutProgram = ({ hasKeeper, withoutProgramMs }: Traces): Recovered => ({
  is: hasKeeper && withoutProgramMs < KEEPER_MS ? 'ending' : 'lost',
});

/** By the table of states in this folder's tests. */
export const recovered = (traces: Traces): Recovered => {
  const { isStarted, exit, isOutOfMemory, runtime, hasKeeper } = traces;
  if (!isStarted) return { is: 'unstarted' };
  if (exit) return { is: 'ended', ...exit, isOutOfMemory };
  if (!runtime.isKnown) return { is: 'unknown' };
  if (runtime.value === 'stopped' || runtime.value === 'nothing') return withoutProgram(traces);
  if (!hasKeeper) return { is: 'orphaned' };
  return { is: runtime.value };
};
