import type { Abuse } from './abuse.ts';
import {
  MERGE_PATCH,
  members,
  NODES,
  nested,
  node,
  patch,
  post,
  raw,
  STRATEGIC_PATCH,
  times,
} from './abuse.ts';
import { condition, conditions, named, statusOf, withConditions } from './condition-nodes.ts';

const bare = (prefix: string) => (size: number) => [post(NODES, node(named(prefix, size)))];
const order = (count: number) => times(count, (index) => ({ type: `Type${index}` }));

const strategic = (name: string, statusPatch: (size: number) => object): Abuse => ({
  name: `strategic patch: ${name}`,
  largest: 20_000,
  before: (size) => withConditions(named(`strategic-${name.replaceAll(/[^a-z]/g, '')}`, size), size),
  request: (size) =>
    patch(statusOf(named(`strategic-${name.replaceAll(/[^a-z]/g, '')}`, size)), STRATEGIC_PATCH, {
      status: statusPatch(size),
    }),
});

const STRATEGIC_PATCHES: readonly Abuse[] = [
  strategic('changes every condition', (size) => ({ conditions: conditions(size, 'False') })),
  strategic('adds as many conditions', (size) => ({
    conditions: times(size, (index) => condition(index + size)),
  })),
  strategic('turns the order around', (size) => ({
    '$setElementOrder/conditions': order(size).toReversed(),
    conditions: conditions(size, 'False').toReversed(),
  })),
  strategic('orders without a change', (size) => ({
    '$setElementOrder/conditions': order(size).toReversed(),
  })),
  strategic('deletes every condition', (size) => ({
    conditions: times(size, (index) => ({ ...condition(index), $patch: 'delete' })),
  })),
  strategic('retains many keys', (size) => ({
    $retainKeys: ['conditions', ...times(size, (index) => `key${index}`)],
    ...members(size, (index) => [`key${index}`, 'x']),
  })),
  {
    name: 'strategic patch: finalizers, one by one',
    largest: 50_000,
    before: bare('finalizers'),
    request: (size) =>
      patch(`${NODES}/${named('finalizers', size)}`, STRATEGIC_PATCH, {
        metadata: {
          finalizers: times(size, (index) => `example.com/f${index}`),
          '$setElementOrder/finalizers': times(size, (index) => `example.com/f${size - index}`),
          '$deleteFromPrimitiveList/finalizers': times(size, (index) => `example.com/g${index}`),
        },
      }),
  },
];

const MERGE_PATCHES: readonly Abuse[] = [
  {
    name: 'merge patch: deep',
    largest: 500_000,
    before: bare('merge-deep'),
    request: (size) =>
      raw('PATCH', `${NODES}/${named('merge-deep', size)}`, MERGE_PATCH, nested(size, '{"a":', '1', '}')),
  },
  {
    name: 'merge patch: many members',
    largest: 150_000,
    before: bare('merge-wide'),
    request: (size) =>
      patch(`${NODES}/${named('merge-wide', size)}`, MERGE_PATCH, {
        metadata: { labels: members(size, (index) => [`l${index}`, 'x']) },
      }),
  },
  {
    name: 'merge patch: one member many times',
    largest: 300_000,
    before: bare('merge-twice'),
    request: (size) =>
      raw(
        'PATCH',
        `${NODES}/${named('merge-twice', size)}`,
        MERGE_PATCH,
        `{"metadata":{"labels":{${times(size, () => '"a":"b"').join(',')}}}}`,
      ),
  },
];

export const MERGE_PATCH_ABUSES: readonly Abuse[] = [...STRATEGIC_PATCHES, ...MERGE_PATCHES];
