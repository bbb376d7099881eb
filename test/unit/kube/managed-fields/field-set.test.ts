import { describe, expect, it } from 'vitest';
import type { FieldSet } from '../../../../shared/kube/managed-fields/field-set.ts';
import {
  difference,
  fromFieldsV1,
  intersection,
  pathsOf,
  toFieldsV1,
  union,
} from '../../../../shared/kube/managed-fields/field-set.ts';
import { printPath } from '../../../../shared/kube/managed-fields/path-element.ts';
import { fieldSetOf, withStructs } from '../../../../shared/kube/managed-fields/set-of.ts';
import { kindSchema } from '../../../../shared/kube/schema/schema-of.ts';

const read = (fields: object): FieldSet => {
  const set = fromFieldsV1(fields);
  if (!set) throw new Error('no FieldsV1');
  return set;
};

const A = { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {}, 'f:b': {} } } };
const B = { 'f:metadata': { 'f:labels': { 'f:b': {}, 'f:c': {} } } };

describe('sets of fields', () => {
  it.each([
    ['union', union, { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {}, 'f:b': {}, 'f:c': {} } } }],
    ['intersection', intersection, { 'f:metadata': { 'f:labels': { 'f:b': {} } } }],
    ['difference', difference, { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } }],
  ])('%s', (_name, combine, expected) => {
    expect(toFieldsV1(combine(read(A), read(B)))).toStrictEqual(expected);
  });

  it('share what an operation does not change', () => {
    const [many, other] = [read(A), read({ 'f:spec': { 'f:taints': {} } })];
    const labels = (set: FieldSet) => set.children.get('f:metadata')?.children.get('f:labels');
    expect(difference(many, other)).toBe(many);
    expect(union(many, read({}))).toBe(many);
    expect(labels(union(many, other))).toBe(labels(many));
    expect(labels(withStructs(many, kindSchema('core.v1.Node')))).toBe(labels(many));
  });

  it.each([['a text'], [['a list']], [{ unprefixed: {} }], [{ 'f:a': 1 }]])(
    '%j is not a set of fields',
    (fields) => {
      expect(fromFieldsV1(fields)).toBeUndefined();
    },
  );

  it('formats paths like the messages about conflicts', () => {
    const set = read({
      'f:status': { 'f:conditions': { 'k:{"type":"Ready"}': { '.': {}, 'f:status': {} } } },
      'f:metadata': { 'f:finalizers': { 'v:"x/a"': {} } },
    });
    expect(pathsOf(set).map(printPath)).toEqual([
      '.metadata.finalizers[="x/a"]',
      '.status.conditions[type="Ready"]',
      '.status.conditions[type="Ready"].status',
    ]);
  });
});

describe('the fields of an object', () => {
  const of = (kind: string, object: object) => toFieldsV1(fieldSetOf(object, kindSchema(kind)));
  it.each<[string, string, object, object]>([
    [
      'labels separately',
      'core.v1.Node',
      { metadata: { labels: { a: '1' } } },
      { 'f:metadata': { 'f:labels': { 'f:a': {} } } },
    ],
    [
      'taints with a single owner',
      'core.v1.Node',
      { spec: { taints: [{ key: 'a' }] } },
      { 'f:spec': { 'f:taints': {} } },
    ],
    [
      'an empty map itself',
      'core.v1.Node',
      { metadata: { labels: {} } },
      { 'f:metadata': { 'f:labels': {} } },
    ],
    [
      'elements of sets',
      'core.v1.Node',
      { metadata: { finalizers: ['x/a'] } },
      { 'f:metadata': { 'f:finalizers': { 'v:"x/a"': {} } } },
    ],
    [
      'elements by key',
      'core.v1.Node',
      { status: { conditions: [{ type: 'A', status: 'True' }] } },
      { 'f:status': { 'f:conditions': { 'k:{"type":"A"}': { '.': {}, 'f:status': {}, 'f:type': {} } } } },
    ],
    [
      'owner references by uid, each with a single owner',
      'core.v1.Node',
      { metadata: { ownerReferences: [{ uid: 'u', name: 'n' }] } },
      { 'f:metadata': { 'f:ownerReferences': { 'k:{"uid":"u"}': {} } } },
    ],
    [
      'ports by two keys, one of which has a default',
      'core.v1.Pod',
      { spec: { containers: [{ name: 'c', ports: [{ containerPort: 80 }] }] } },
      {
        'f:spec': {
          'f:containers': {
            'k:{"name":"c"}': {
              '.': {},
              'f:name': {},
              'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
            },
          },
        },
      },
    ],
  ])('%s', (_name, kind, object, expected) => {
    expect(of(kind, object)).toStrictEqual(expected);
  });
});
