/** What a row of the table is, and what rows say of wrong answers. */

import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import type { Answered, Client, Sent } from './client.ts';
import type { AbusedHost } from './host.ts';

export interface Abusing {
  readonly host: AbusedHost;
  readonly client: Client;
  /** Which time the table is gone through. */
  readonly round: number;
}

export interface Row {
  readonly name: string;
  /** Does it, and says what is wrong with the answers. */
  readonly abuse: (abusing: Abusing) => Promise<readonly string[]>;
}

export const times = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** What is wrong: answers of other codes than these. */
export const unexpected = (statuses: readonly number[], expected: readonly number[]): readonly string[] => {
  const wrong = statuses.filter((status) => !expected.includes(status));
  return wrong.length === 0 ? [] : [`${wrong.length} answers of ${[...new Set(wrong)].join(', ')}`];
};

/** What is wrong unless it holds. */
export const must = (holds: boolean, what: string): readonly string[] => (holds ? [] : [what]);

/** What is wrong with refusals: each 429 says when to come again, and why. */
export const badRefusals = (answers: readonly Answered[]): readonly string[] =>
  answers.some(
    ({ status, headers, text }) =>
      status === 429 && (headers['retry-after'] === undefined || !text.includes('"TooManyRequests"')),
  )
    ? ['a 429 without Retry-After or without a Status']
    : [];

export const statusesOf = (answers: readonly Answered[]): readonly number[] =>
  answers.map(({ status }) => status);

/** Sends for so many seconds, so many requests at a time. */
export const floodWith = async (
  client: Client,
  seconds: number,
  atATime: number,
  next: (index: number) => Sent,
): Promise<readonly Answered[]> => {
  const until = performance.now() + seconds * 1000;
  const answers: Answered[] = [];
  await inParallel(
    times(atATime, (index) => index),
    atATime,
    async (index) => {
      while (performance.now() < until) answers.push(await client.send(next(index)));
    },
  );
  return answers;
};
