/** What the guard has seen, as it tells it over HTTP. */
import type { AwsCall } from './policy.ts';

/** Where the guard tells it. */
export const SEEN_PATH = '/_guard/seen';

/** A request that was refused, because of its first call that AWS would refuse. */
export interface Refusal extends Pick<AwsCall, 'action' | 'resource'> {
  readonly functionName: string;
  /** What AWS would say against it. */
  readonly why: string;
}

/** What functions did, and what AWS would refuse. */
export interface Seen {
  /** How often each function called what, by `function action resource`. */
  readonly calls: Readonly<Record<string, number>>;
  /** DynamoDB's units that each function consumed, by `function kind table`; the kind is `read` or `write`. */
  readonly units: Readonly<Record<string, number>>;
  readonly refusals: readonly Refusal[];
}

/** Asks a guard. */
export const readSeen = async (guard: string): Promise<Seen> =>
  (await (await fetch(`${guard}${SEEN_PATH}`)).json()) as Seen;
