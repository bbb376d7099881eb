import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  NAMED_CASES,
  NAMED_CHANGES,
  NAMED_HAPPENINGS,
  NAMED_ROWS,
  OFF_IN_RECORDING,
} from '../runner/named-differences.ts';

const rows = new Set(readFileSync('docs/differences.md', 'utf8').match(/(?<=^\| )D-\w+/gm));
const cases = JSON.parse(readFileSync('test/conformance/golden-1.34.json', 'utf8')).cases as object;

it('names a row of docs/differences.md for each recorded answer that is not given', () => {
  const all = [NAMED_CASES, NAMED_ROWS, ...Object.values(NAMED_HAPPENINGS), ...Object.values(NAMED_CHANGES)];
  const named = all.flatMap((one) => Object.values(one));
  expect(named.filter((row) => row !== OFF_IN_RECORDING && !rows.has(row))).toEqual([]);
});

it('names recorded answers only, and not more than one in twenty', () => {
  expect(Object.keys(NAMED_CASES).filter((name) => !Object.hasOwn(cases, name))).toEqual([]);
  expect(Object.keys(NAMED_CASES).length).toBeLessThanOrEqual(Object.keys(cases).length / 20);
});
