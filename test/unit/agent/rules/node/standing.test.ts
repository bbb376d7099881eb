import { expect, it } from 'vitest';
import {
  IN_GOOD_STANDING,
  type Standing,
  standingAfter,
  type Verdict,
} from '../../../../../agent/rules/node/standing.ts';

const verdicts = (answers: readonly (readonly [number, string, number])[]): readonly Verdict[] => {
  let standing: Standing = IN_GOOD_STANDING;
  return answers.map(([status, message, uptime]) => {
    const after = standingAfter(standing, status, message, uptime);
    ({ standing } = after);
    return after.verdict;
  });
};

it.each([
  'Unauthorized: the Node that this token was made for was deleted; register again and get a new token',
  'Unauthorized: the Node that this token was made for is being deleted',
])('a node whose Node is gone learns that at once: %s', (message) => {
  expect(verdicts([[401, message, 0]])).toEqual(['deleted']);
});

it('another refusal counts when it has lasted for a minute, because a clock may have been set', () => {
  const expired = 'Unauthorized: the token expired';
  expect(
    verdicts([
      [401, expired, 0],
      [401, expired, 59_999],
      [200, '', 59_999],
      [401, expired, 60_000],
      [401, expired, 119_999],
      [401, expired, 120_000],
    ]),
  ).toEqual(['known', 'known', 'known', 'known', 'known', 'refused']);
});

it('what is forbidden or not found says nothing about the node', () => {
  expect(
    verdicts([
      [403, 'no', 0],
      [404, 'no', 90_000],
      [500, 'no', 180_000],
    ]),
  ).toEqual(Array(3).fill('known'));
});
