/** What the guard has seen, as it tells it over HTTP. */
import type { AwsCall } from './policy.ts';

/** Where the guard tells it. */
export const SEEN_PATH = '/_guard/seen';

/** A call that was refused. */
export interface Denial extends Pick<AwsCall, 'action' | 'resource'> {
  readonly functionName: string;
}

/** How often each function called what, by `function action`, and what its role does not allow. */
export interface Seen {
  readonly calls: Readonly<Record<string, number>>;
  readonly denials: readonly Denial[];
}

/** Asks a guard. */
export const readSeen = async (guard: string): Promise<Seen> =>
  (await (await fetch(`${guard}${SEEN_PATH}`)).json()) as Seen;
