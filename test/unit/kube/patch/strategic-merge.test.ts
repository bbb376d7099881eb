import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../shared/kube/json/json-object.ts';
import { applyStrategicMerge } from '../../../../shared/kube/patch/strategic-merge.ts';
import { kindSchema } from '../../../../shared/kube/schema/schema-of.ts';

const NODE = kindSchema('core.v1.Node');
const merge = (target: JsonObject, patch: JsonObject) => applyStrategicMerge(target, patch, NODE);

const conditions = (...types: string[]) => ({
  status: { conditions: types.map((type) => ({ type, status: 'True' })) },
});
const typesAfter = (target: JsonObject, status: JsonObject): unknown => {
  const merged = merge(target, { status }) as { status: { conditions?: { type: string }[] } };
  return merged.status.conditions?.map(({ type }) => type).join(' ');
};
const element = (type: string) => ({ type, status: 'False' });
const ordered = (order: string[], ...elements: object[]) => ({
  '$setElementOrder/conditions': order.map((type) => ({ type })),
  ...(elements.length > 0 ? { conditions: elements } : {}),
});

describe('the order of a merged list', () => {
  it.each<[string, string[], JsonObject, string]>([
    ['keeps existing elements', ['A', 'B'], { conditions: [element('B')] }, 'A B'],
    ['puts new elements first', ['A'], { conditions: [element('Z'), element('Y')] }, 'Z Y A'],
    ['follows the order of the patch', ['A', 'B', 'C'], ordered(['C', 'B', 'A']), 'C B A'],
    [
      'keeps elements that the patch does not name next to their neighbours',
      ['Memory', 'Disk', 'PID', 'Ready'],
      ordered(['Ready', 'Zeta', 'Memory'], element('Zeta')),
      'Disk PID Ready Zeta Memory',
    ],
    ['removes', ['A', 'B', 'C'], { conditions: [{ $patch: 'delete', type: 'B' }] }, 'A C'],
    [
      'ignores the deletion of an absent element',
      ['A'],
      { conditions: [{ $patch: 'delete', type: 'B' }] },
      'A',
    ],
    ['replaces', ['A', 'B'], { conditions: [{ $patch: 'replace' }, element('Z')] }, 'Z'],
    [
      'groups what replaces a list by key',
      ['A'],
      { conditions: [element('Z'), element('Y'), element('Z'), { $patch: 'replace' }] },
      'Z Z Y',
    ],
    [
      'drops the directives of a new list',
      [],
      { conditions: [{ $patch: 'delete', type: 'B' }, element('Z')] },
      'Z',
    ],
  ])('%s', (_name, types, status, expected) => {
    expect(typesAfter(types.length === 0 ? { status: {} } : conditions(...types), status)).toBe(expected);
  });
});

describe('a strategic merge', () => {
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      'sets and removes members',
      { metadata: { labels: { a: '1', b: '2' } } },
      { metadata: { labels: { a: null, c: '3' } } },
      { metadata: { labels: { b: '2', c: '3' } } },
    ],
    [
      'drops null members of a new map',
      {},
      { metadata: { labels: { a: null, c: '3' } } },
      { metadata: { labels: { c: '3' } } },
    ],
    [
      'replaces lists without a merge key',
      { spec: { taints: [{ key: 'a' }] } },
      { spec: { taints: [{ key: 'b' }] } },
      { spec: { taints: [{ key: 'b' }] } },
    ],
    [
      'merges elements with the same key',
      { status: { addresses: [{ type: 'A', address: '1' }] } },
      { status: { addresses: [{ type: 'A', address: '2' }] } },
      { status: { addresses: [{ type: 'A', address: '2' }] } },
    ],
    [
      'replaces a map',
      { metadata: { labels: { a: '1' } } },
      { metadata: { labels: { $patch: 'replace', b: '2' } } },
      { metadata: { labels: { b: '2' } } },
    ],
    [
      'empties a map',
      { metadata: { labels: { a: '1' } } },
      { metadata: { labels: { $patch: 'delete' } } },
      { metadata: { labels: {} } },
    ],
    [
      'retains keys',
      { metadata: { labels: { a: '1', b: '2' } } },
      { metadata: { labels: { $retainKeys: ['a', 'z'], z: '3' } } },
      { metadata: { labels: { a: '1', z: '3' } } },
    ],
    [
      'adds to a set',
      { metadata: { finalizers: ['a/a', 'b/b'] } },
      { metadata: { finalizers: ['b/b', 'c/c'] } },
      { metadata: { finalizers: ['a/a', 'b/b', 'c/c'] } },
    ],
    [
      'removes from a set',
      { metadata: { finalizers: ['a/a', 'b/b'] } },
      { metadata: { '$deleteFromPrimitiveList/finalizers': ['a/a', 'x/x'] } },
      { metadata: { finalizers: ['b/b'] } },
    ],
    ['ignores an order for an absent list', { status: {} }, { status: ordered(['A']) }, { status: {} }],
  ])('%s', (_name, target, patch, expected) => {
    expect(merge(target, patch)).toStrictEqual(expected);
  });

  it('does not modify its arguments', () => {
    const [target, patch] = [conditions('A', 'B'), { status: ordered(['B', 'A'], element('A')) }];
    const before = structuredClone([target, patch]);
    merge(target, patch);
    expect([target, patch]).toStrictEqual(before);
  });

  it.each<[string, JsonObject, string]>([
    [
      'an element without its key',
      { conditions: [{ status: 'True' }] },
      'map: map[status:True] does not contain declared merge key: type',
    ],
    [
      'an unknown directive',
      { conditions: [{ $patch: 'frob', type: 'A' }] },
      'unknown patch type: frob in map: map[$patch:frob type:A]',
    ],
    [
      'an order that lacks an element',
      ordered(['B'], element('A')),
      "The order in patch list:\n[map[status:False type:A]]\n doesn't match $setElementOrder list:\n[map[type:B]]\n",
    ],
    [
      'a member that is missing in $retainKeys',
      { $retainKeys: ['phase'], conditions: [] },
      'invalid patch format of retainKeys',
    ],
    [
      'an order that is not a list',
      { '$setElementOrder/conditions': {} },
      'invalid patch format of setElementOrder list',
    ],
  ])('is refused for %s', (_name, status, message) => {
    expect(() => merge(conditions('A', 'B'), { status })).toThrow(message);
  });
});
