/** What the smoke test has of the outside. Instants and durations are ms. */
import type { Verdict } from '../facts/verdict.ts';

/** A Node as a look finds it. */
export interface Seen {
  /** Status of its Ready condition; empty: it has none. */
  readonly ready: string;
  /** Keys of its NoExecute taints. */
  readonly noExecute: readonly string[];
}

/** An answer of the API to why a node is as it is. */
export interface Told {
  readonly verdict: string;
  readonly message: string;
}

/** The API has refused a request: it would refuse the next one, too. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** Somebody has asked the test to end. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** Requests about one node. Each rejects with `Refused`, or with another error if an answer has not come or another try may succeed. */
export interface SmokeCluster {
  /** Names of the nodes of smoke tests that are there. */
  others(): Promise<readonly string[]>;
  register(): Promise<void>;
  /** Gets the node's own token. */
  enrol(): Promise<void>;
  /** Resolves with the grace period. */
  beat(): Promise<number>;
  /** `undefined`: there is no such Node. */
  look(): Promise<Seen | undefined>;
  /** `undefined`: no answer. Never rejects. */
  explain(question: 'health' | 'taint'): Promise<Told | undefined>;
  /** Also resolves if there is no such Node. */
  remove(): Promise<void>;
}

export interface SmokeDeps {
  /** Name of the node. */
  readonly node: string;
  readonly cluster: SmokeCluster;
  readonly now: () => number;
  /** Resolves after `ms`. */
  readonly wait: (ms: number) => Promise<void>;
  /** Throws `Stopped` as soon as somebody has asked the test to end. */
  readonly checkStopped: () => void;
  /** Prints a step that is over. */
  readonly tell: (verdict: Verdict) => void;
}
