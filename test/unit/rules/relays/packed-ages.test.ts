import { describe, expect, it } from 'vitest';
import {
  OLDEST_AGE_MS,
  packAges,
  storedAge,
  unpackAges,
} from '../../../../shared/rules/relays/packed-ages.ts';

describe('ages of a part as numbers', () => {
  it.each([
    ['the youngest', { ageMs: 0, isPlain: false }, 0],
    ['a plain heartbeat', { ageMs: 0, isPlain: true }, 1],
    ['some', { ageMs: 1_500, isPlain: false }, 3_000],
    ['the oldest', { ageMs: OLDEST_AGE_MS, isPlain: true }, 2 ** 32 - 3],
    ['none', null, 2 ** 32 - 1],
  ])('%s', (_name, age, packed) => {
    expect([...packAges([age])]).toEqual([packed]);
    expect(unpackAges(packAges([age]))).toEqual([age]);
  });

  it.each([
    ['a part of a millisecond does not count', { ageMs: 1.5, isPlain: false }, { ageMs: 1, isPlain: false }],
    ['years count as the oldest', { ageMs: 1e15, isPlain: true }, { ageMs: OLDEST_AGE_MS, isPlain: true }],
  ])('%s', (_name, age, stored) => {
    expect(unpackAges(packAges([age]))).toEqual([stored]);
  });

  it.each([
    ['of the entry', 0, 2, 6],
    ['of an entry that is newer', 0, 3, 2 ** 32 - 1],
    ['of an entry that came after the batch', 1, 2, 2 ** 32 - 1],
  ])('the stored age %s', (_name, place, since, age) => {
    const beats = { roster: 2, ages: packAges([{ ageMs: 3, isPlain: false }]) };
    expect(storedAge(beats, place, since)).toBe(age);
    expect(storedAge(undefined, place, since)).toBe(2 ** 32 - 1);
  });
});
