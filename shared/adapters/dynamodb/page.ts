/** Pages of a resource whose rows are spread over shards, as one sorted list. */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Page, PageQuery } from '../../ports/object-log.ts';
import type { DynamoDeps } from './client.ts';
import { expressions } from './conditions.ts';
import { patiently } from './errors.ts';
import { fromObjectItem } from './items.ts';
import { keyAfter, namespaceRange, objectPartitions } from './keys.ts';
import { type Item, required, textOf } from './packing.ts';
import { queryAll } from './reads.ts';
import { OBJECT } from './schema.ts';

/** A shard is asked for its share and half as much again, so that an uneven hash seldom costs a second round. */
const OVERFETCH = 1.5;
const EXTRA_ROWS = 4;

interface ShardPart {
  readonly items: readonly Item[];
  /** The last key that was read; `undefined`: the shard has no more. */
  readonly readUpTo: string | undefined;
}

const sortKeyOf = (item: Item): string => required(textOf(item, OBJECT.sort), OBJECT.sort);

const bySortKey = (a: Item, b: Item): number =>
  Number(sortKeyOf(a) > sortKeyOf(b)) - Number(sortKeyOf(a) < sortKeyOf(b));

const shardQuery = ({ tables }: DynamoDeps, { namespace, after }: PageQuery, partition: string) => {
  const { first, last } = namespaceRange(namespace);
  const from = after !== undefined && after >= first ? keyAfter(after) : first;
  if (from > last) return undefined;
  return {
    TableName: tables.objects,
    ConsistentRead: true,
    ...expressions(
      OBJECT,
      { KeyConditionExpression: '#partition = :partition AND #sort BETWEEN :from AND :last' },
      { partition, from, last },
    ),
  };
};

const readShard = async (
  deps: DynamoDeps,
  query: PageQuery,
  partition: string,
  limit: number,
): Promise<ShardPart> => {
  const input = shardQuery(deps, query, partition);
  if (!input) return { items: [], readUpTo: undefined };
  const { Items: items = [], LastEvaluatedKey: end } = await patiently(deps, () =>
    deps.client.send(new QueryCommand({ ...input, Limit: limit })),
  );
  return { items, readUpTo: end && sortKeyOf(end) };
};

const readAll = async (deps: DynamoDeps, query: PageQuery): Promise<Page> => {
  const inputs = objectPartitions(query.resource).flatMap(
    (partition) => shardQuery(deps, query, partition) ?? [],
  );
  const items = (await Promise.all(inputs.map((input) => queryAll(deps, input)))).flat();
  return { rows: items.toSorted(bySortKey).map(fromObjectItem) };
};

const least = (keys: readonly string[]): string | undefined =>
  keys.reduce<string | undefined>((low, key) => (low === undefined || key < low ? key : low), undefined);

/** Rows up to the key that every unfinished shard has reached; behind it one of them may hold rows in between. */
const mergeParts = (parts: readonly ShardPart[], limit: number): Page => {
  const horizon = least(parts.flatMap(({ readUpTo }) => readUpTo ?? []));
  const known = parts
    .flatMap(({ items }) => items)
    .filter((item) => horizon === undefined || sortKeyOf(item) <= horizon);
  const sorted = known.toSorted(bySortKey);
  const emitted = sorted.slice(0, limit);
  const last = emitted.at(-1);
  const next = sorted.length > limit && last ? sortKeyOf(last) : horizon;
  return { rows: emitted.map(fromObjectItem), ...(next === undefined ? {} : { next }) };
};

/** Rows of a resource behind `after`, sorted by `namespace/name`: one consistent query per shard, in parallel. AP-06. */
export const readPage = async (deps: DynamoDeps, query: PageQuery): Promise<Page> => {
  const { resource, limit } = query;
  if (limit === undefined) return readAll(deps, query);
  const partitions = objectPartitions(resource);
  const share =
    partitions.length === 1 ? limit : Math.ceil((limit / partitions.length) * OVERFETCH) + EXTRA_ROWS;
  const parts = await Promise.all(
    partitions.map((partition) => readShard(deps, query, partition, Math.min(share, limit))),
  );
  return mergeParts(parts, limit);
};
