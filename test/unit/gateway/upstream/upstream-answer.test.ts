import { expect, it } from 'vitest';
import { refusalOf } from '../../../../gateway/upstream/upstream-answer.ts';

it.each([
  [400, 400, 'no'],
  [405, 405, 'no'],
  [501, 501, 'no'],
  [409, 500, 'the API answered 409: no'],
  [500, 500, 'the API answered 500: no'],
  [502, 503, 'the API answered 502: no'],
  [503, 503, 'the API answered 503: no'],
  [504, 503, 'the API answered 504: no'],
])('a refusal with %i reaches the client as %i', (code, shown, message) => {
  const error = refusalOf(code, { 'retry-after': '7' }, JSON.stringify({ message: 'no' }));
  expect([error.code, error.message]).toEqual([shown, message]);
  expect(error.details?.retryAfterSeconds).toBe(7);
});
