import { describe, expect, it } from 'vitest';
import { backOffs, clusterOptions } from './copies.ts';
import { optionalMembers, spreadArrays, spreadObjects } from './members.ts';
import { placesIn, type Spelling } from './syntax.ts';

const countIn = (text: string, spelling: Spelling): number => placesIn('x.ts', text, spelling).length;

it('a place is told by its path and line', () => {
  expect(placesIn('a/x.ts', 'const a = {\n  ...{ b, c },\n};', spreadObjects)).toEqual(['a/x.ts:2']);
});

it.each([
  ['{ ...{ a, b }, c }', 1],
  ['{ ...({ a, b }) }', 1],
  ['{ ...{ a, ...{ b } } }', 2],
  ['{ ...a, ...(b ? { c } : {}) }', 0],
  ["'...{ a }'", 0],
])('spread objects in %s: %i', (value, count) => {
  expect(countIn(`const x = ${value};`, spreadObjects)).toBe(count);
});

it.each([
  ["['a', ...['b', 'c']]", 1],
  ['f(...[a, b])', 1],
  ['[...a, ...b.map(f), ...new Set([c])]', 0],
])('spread arrays in %s: %i', (value, count) => {
  expect(countIn(`const x = ${value};`, spreadArrays)).toBe(count);
});

describe('optional members by hand', () => {
  it.each([
    '{ ...(a === undefined ? {} : { a }) }',
    '{ ...(a !== undefined ? { b: f(a) } : {}) }',
    '{ ...(a ? { b: a } : {}) }',
    '{ ...(!a ? {} : { a }) }',
    '{ ...(a.b && { c: a.b }) }',
    '{ ...(a !== undefined && { a }) }',
    'a === undefined ? {} : { a }',
  ])('are %s', (value) => {
    expect(countIn(`const x = ${value};`, optionalMembers)).toBe(1);
  });

  it.each([
    '{ ...(isLate ? { a } : {}) }',
    '{ ...(isLate && { a }) }',
    '{ ...(a === undefined ? { isAbsent: true } : {}) }',
    "{ ...(a === 'b' ? { a } : {}) }",
    "{ ...optional('a', a) }",
    'a === undefined ? {} : b',
  ])('are not %s', (value) => {
    expect(countIn(`const x = ${value};`, optionalMembers)).toBe(0);
  });
});

it.each([
  ['Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(tries - 1, 10))', 1],
  ['FIRST_MS * 2 ** attempt * random()', 1],
  ['Math.min(2 * delay, MOST_MS)', 1],
  ['Math.min(kept.waitMs * 2, limits.maxMs)', 1],
  ['2 ** 31 - 1', 0],
  ['2 * delay', 0],
  ['Math.min(2 * 60_000, rest)', 0],
  ['backOff({ firstMs, mostMs }, tries)', 0],
])('back-offs by hand in %s: %i', (value, count) => {
  expect(countIn(`const x = ${value};`, backOffs)).toBe(count);
});

it.each([
  ["{ folder: { type: 'string' }, stack: { type: 'string' }, server: { type: 'string' } }", 1],
  ["{ stack: { type: 'string' }, server: { type: 'string' } }", 0],
  ['{ ...CLUSTER_OPTIONS }', 0],
  ['{ folder: values.folder, stack: values.stack, server: values.server }', 0],
])('declarations of the cluster options in %s: %i', (value, count) => {
  expect(countIn(`const x = ${value};`, clusterOptions)).toBe(count);
});
