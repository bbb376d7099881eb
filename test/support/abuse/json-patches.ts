import type { Abuse, AbusiveRequest } from './abuse.ts';
import { JSON_PATCH, MERGE_PATCH, members, NODES, node, patch, post, times } from './abuse.ts';
import { named, statusOf } from './condition-nodes.ts';

const OPERATIONS = 10_000;

const image = (index: number) => ({ names: [`registry.test/i${index}`] });

const withImages = (name: string, count: number): readonly AbusiveRequest[] => [
  post(NODES, node(name)),
  patch(statusOf(name), MERGE_PATCH, { status: { images: times(count, image) } }),
];

const bare = (prefix: string) => (size: number) => [post(NODES, node(named(prefix, size)))];

/** Up to some hundred elements a list is one chunk. */
const SEVERAL_CHUNKS = 800;

const jsonPatch = (
  prefix: string,
  operationsOf: (size: number) => readonly object[],
  largest = OPERATIONS,
): Abuse => ({
  name: `JSON patch: ${prefix}`,
  largest,
  smallest: prefix.includes('-the-') ? SEVERAL_CHUNKS : 100,
  before: bare(`patch-${prefix}`),
  request: (size) => patch(`${NODES}/${named(`patch-${prefix}`, size)}`, JSON_PATCH, operationsOf(size)),
});

const annotation = (index: number): string => `/metadata/annotations/a${index}`;

export const JSON_PATCH_ABUSES: readonly Abuse[] = [
  jsonPatch('adds-members', (size) => [
    { op: 'add', path: '/metadata/annotations', value: {} },
    ...times(size - 1, (index) => ({ op: 'add', path: annotation(index), value: 'x' })),
  ]),
  jsonPatch('removes-members', (size) => [
    { op: 'add', path: '/metadata/annotations', value: members(size, (index) => [`a${index}`, 'x']) },
    ...times(size - 1, (index) => ({ op: 'remove', path: annotation(index) })),
  ]),
  jsonPatch('replaces-members', (size) => [
    { op: 'add', path: '/metadata/annotations', value: members(size, (index) => [`a${index}`, 'x']) },
    ...times(size - 1, (index) => ({ op: 'replace', path: annotation(index), value: 'y' })),
  ]),
  jsonPatch('adds-to-the-end', (size) => [
    { op: 'add', path: '/spec/taints', value: [] },
    ...times(size - 1, (index) => ({
      op: 'add',
      path: '/spec/taints/-',
      value: { key: `k${index}`, effect: 'NoSchedule' },
    })),
  ]),
  jsonPatch('inserts-at-the-front', (size) => [
    { op: 'add', path: '/spec/taints', value: [] },
    ...times(size - 1, (index) => ({
      op: 'add',
      path: '/spec/taints/0',
      value: { key: `k${index}`, effect: 'NoSchedule' },
    })),
  ]),
  jsonPatch('copies-what-it-copied', (size) => [
    { op: 'add', path: '/metadata/annotations', value: { a: 'x'.repeat(1_000) } },
    ...times(size - 1, (index) => ({
      op: 'copy',
      from: '/metadata/annotations',
      path: `/metadata/labels${index}`,
    })),
  ]),
  jsonPatch('doubles', (size) => [
    { op: 'add', path: '/metadata/annotations', value: { a: {} } },
    ...times(size - 1, (index) => ({ op: 'copy', from: '/metadata/annotations', path: annotation(index) })),
  ]),
  jsonPatch('tests-the-whole', (size) => [
    { op: 'add', path: '/metadata/annotations', value: members(size, (index) => [`a${index}`, 'x']) },
    ...times(size - 1, () => ({
      op: 'test',
      path: '/metadata/annotations',
      value: {},
    })),
  ]),
  jsonPatch('moves-to-and-fro', (size) => [
    { op: 'add', path: '/metadata/annotations', value: members(size, (index) => [`a${index}`, 'x']) },
    ...times(size - 1, (index) =>
      index % 2 === 0
        ? { op: 'move', from: '/metadata/annotations', path: '/metadata/labels' }
        : { op: 'move', from: '/metadata/labels', path: '/metadata/annotations' },
    ),
  ]),
  jsonPatch(
    'goes-deep',
    (size) => [
      ...times(size, (index) => ({ op: 'add', path: `/metadata${'/a'.repeat(index + 1)}`, value: {} })),
    ],
    2_000,
  ),
  jsonPatch('has-one-long-path', (size) => [{ op: 'add', path: '/a'.repeat(size), value: 1 }], 1_500_000),
  jsonPatch('has-unknown-members', (size) => times(size, (index) => ({ op: 'test', [`m${index}`]: 1 }))),
  {
    name: 'JSON patch: inserts into a long list',
    largest: OPERATIONS,
    smallest: SEVERAL_CHUNKS,
    before: (size) => withImages(named('inserts', size), size),
    request: (size) =>
      patch(
        statusOf(named('inserts', size)),
        JSON_PATCH,
        times(size, (index) => ({ op: 'add', path: '/status/images/0', value: image(index) })),
      ),
  },
  {
    name: 'JSON patch: removes from a long list',
    largest: OPERATIONS,
    smallest: SEVERAL_CHUNKS,
    before: (size) => withImages(named('removes', size), size + 100),
    request: (size) =>
      patch(
        statusOf(named('removes', size)),
        JSON_PATCH,
        times(size, () => ({ op: 'remove', path: '/status/images/0' })),
      ),
  },
];
