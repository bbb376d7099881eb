import { expect, it } from 'vitest';
import { kindSchema } from '../../../../shared/kube/schema/schema-of.ts';
import { unstructuredFault } from '../../../../shared/kube/schema/unstructured.ts';

const NODE = kindSchema('core.v1.Node');

it.each<[object, string | undefined]>([
  [{ spec: { taints: 'str' } }, 'cannot restore slice from string'],
  [{ spec: { taints: {} } }, 'cannot restore slice from map'],
  [{ spec: [] }, 'cannot restore struct from: slice'],
  [{ metadata: { labels: 'x' } }, 'cannot restore map from string'],
  [{ metadata: { labels: { a: 1 } } }, 'cannot convert int64 to string'],
  [{ metadata: { labels: { a: true } } }, 'unrecognized type: string'],
  [{ spec: { unschedulable: 'yes' } }, 'unrecognized type: bool'],
  [{ metadata: { generation: 1.5 } }, 'cannot convert float64 to int64'],
  [{ spec: { taints: [{ key: 1 }] } }, 'cannot convert int64 to string'],
  [{ spec: { unknown: 1, taints: null } }, undefined],
])('the error message for %j is %s', (object, expected) => {
  expect(unstructuredFault(object, NODE)).toBe(expected);
});
