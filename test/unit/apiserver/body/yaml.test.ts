import { expect, it } from 'vitest';
import { readYaml } from '../../../../shared/apiserver/body/yaml.ts';

it.each([
  ['', null],
  ['# nothing', null],
  ['a: 1\nb: [x, "2", 3.5, true, ~]', { a: 1, b: ['x', '2', 3.5, true, null] }],
  ['on: yes', { true: true }],
  ['1: a', { 1: 'a' }],
  [
    't: 2026-01-02T03:04:05Z\nd: 2026-01-02\nc: 12:30:45',
    { t: '2026-01-02T03:04:05Z', d: '2026-01-02', c: '12:30:45' },
  ],
  ['a: &x {k: v}\nb: *x', { a: { k: 'v' }, b: { k: 'v' } }],
  ['a: &x {k: v, l: w}\nb: {k: own, <<: *x}', { a: { k: 'v', l: 'w' }, b: { k: 'own', l: 'w' } }],
  ['a: {<<: [{k: 1}, {k: 2, l: 3}]}', { a: { k: 1, l: 3 } }],
  ['a: 1\n---\nb: [', { a: 1 }],
  ['__proto__: {x: 1}', JSON.parse('{"__proto__":{"x":1}}')],
])('reads %j', (text, value) => {
  expect(readYaml(text)).toEqual({ value, faults: [] });
});

it('sorts members by name, as the real server does', () => {
  expect(JSON.stringify(readYaml('b: 1\na: 2').value)).toBe('{"a":2,"b":1}');
});

it('uses the last of two equal members and reports where they are', () => {
  expect(readYaml('a: 1\nb: 2\na: 3\nb: 4')).toEqual({
    value: { a: 3, b: 4 },
    faults: [
      'yaml: unmarshal errors:\n  line 3: key "a" already set in map\n  line 4: key "b" already set in map',
    ],
  });
});

const laughs = (reference: (name: string) => string): string =>
  [
    'a0: &a0 {k: v}',
    ...Array.from({ length: 40 }, (_, at) => `a${at + 1}: &a${at + 1} ${reference(`a${at}`)}`),
  ].join('\n');

it.each([
  ['a: [', /^yaml: line \d+: /],
  ['a: *x', /^yaml: unknown anchor 'x' referenced|^yaml: line 1: /],
  ['a: &x [*x]', "yaml: anchor 'x' value contains itself"],
  ['? [a]\n: b', /unsupported map key/],
  ['a: .nan', 'json: unsupported value: NaN'],
  ['a: {<<: 1}', 'yaml: map merge requires map or sequence of maps as the value'],
  [laughs((name) => `[*${name}, *${name}]`), 'yaml: document contains excessive aliasing'],
  [laughs((name) => `{<<: [*${name}, *${name}]}`), 'yaml: document contains excessive aliasing'],
  ['['.repeat(20_000), 'yaml: exceeded max depth of 1000'],
  ['['.repeat(1_500) + ']'.repeat(1_500), 'yaml: exceeded max depth of 1000'],
  ['a: '.repeat(5), /^yaml: line 1: /],
])('refuses %.40j', (text, fault) => {
  expect(() => readYaml(text)).toThrow(fault);
});
