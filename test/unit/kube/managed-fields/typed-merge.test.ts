import { expect, it } from 'vitest';
import { mergeTyped } from '../../../../shared/kube/managed-fields/typed-merge.ts';
import { kindSchema } from '../../../../shared/kube/schema/schema-of.ts';

const NODE = kindSchema('core.v1.Node');
const withTypes = (types: string) => ({
  status: {
    conditions: types
      .split(' ')
      .filter(Boolean)
      .map((type) => ({ type })),
  },
});

it.each([
  ['A B', 'C', 'A B C'],
  ['A B', 'B A', 'B A'],
  ['A X B', 'B A', 'X B A'],
  ['A B C', 'C', 'A B C'],
  ['A B', 'N B', 'A N B'],
  ['A B C D', 'D B', 'A C D B'],
  ['A B', '', 'A B'],
])('live elements %s and a configuration with %s merge to %s', (live, config, expected) => {
  expect(mergeTyped(withTypes(live), withTypes(config), NODE)).toEqual(withTypes(expected));
});

it.each<[string, object, object, object]>([
  [
    'merges maps',
    { metadata: { labels: { a: '1', b: '1' } } },
    { metadata: { labels: { b: '2' } } },
    { metadata: { labels: { a: '1', b: '2' } } },
  ],
  [
    'replaces a value with a single owner',
    { spec: { taints: [{ key: 'a' }] } },
    { spec: { taints: [{ key: 'b' }] } },
    { spec: { taints: [{ key: 'b' }] } },
  ],
  [
    'joins sets',
    { metadata: { finalizers: ['x/a'] } },
    { metadata: { finalizers: ['x/b'] } },
    { metadata: { finalizers: ['x/a', 'x/b'] } },
  ],
  [
    'merges elements',
    { status: { conditions: [{ type: 'A', reason: 'r' }] } },
    { status: { conditions: [{ type: 'A', status: 'True' }] } },
    { status: { conditions: [{ type: 'A', reason: 'r', status: 'True' }] } },
  ],
])('%s', (_name, live, config, expected) => {
  expect(mergeTyped(live, config, NODE)).toEqual(expected);
});
