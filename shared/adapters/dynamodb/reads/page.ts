/** Reads pages of a resource. Its rows are spread over shards, and a page is one sorted list of them. */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { optional } from '../../../kube/values/optional.ts';
import { CHARACTERS_PER_READ, type Page, type PageQuery } from '../../../ports/store/object-store.ts';
import type { LiveRow } from '../../../ports/store/rows.ts';
import type { DynamoDeps } from '../table/client.ts';
import { expressions, IS_LIVE } from '../table/conditions.ts';
import { patiently } from '../table/errors.ts';
import { fromObjectItem } from '../table/items.ts';
import { keyAfter, namespaceRange, objectPartitions } from '../table/keys.ts';
import { countingInflate, type InflateJson, type Item, requiredAttribute, textOf } from '../table/packing.ts';
import { OBJECT } from '../table/schema.ts';
import { queryAll } from './reads.ts';

/** Each shard is asked for its share plus this many standard deviations, so that an uneven spread seldom makes a page short. */
const EXTRA_DEVIATIONS = 2;
/** Approximate number of rows that one page reads from a shard. After more markers than this, the page is empty and has a `next`. */
const MOST_READ = 4_096;
const GROWTH = 8;

interface ShardPart {
  readonly items: readonly Item[];
  /** The last key that was read; `undefined` if the shard has no more rows. */
  readonly readUpTo: string | undefined;
}

const fromLiveItem = (item: Item, inflate?: InflateJson): LiveRow => {
  const row = fromObjectItem(item, inflate);
  if (row.state !== 'live') throw new Error(`a page holds the marker of ${sortKeyOf(item)}`);
  return row;
};

const sortKeyOf = (item: Item): string => requiredAttribute(textOf(item, OBJECT.sort), OBJECT.sort);

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
      {
        KeyConditionExpression: '#partition = :partition AND #sort BETWEEN :from AND :last',
        FilterExpression: IS_LIVE,
      },
      { partition, from, last },
    ),
  };
};

/**
 * Reads a shard until it has found `wanted` live rows, or those that fill the 1 MB of a request. The requests get larger while
 * they return only markers.
 */
const readShard = async (
  deps: DynamoDeps,
  query: PageQuery,
  partition: string,
  wanted: number,
): Promise<ShardPart> => {
  const input = shardQuery(deps, query, partition);
  const items: Item[] = [];
  let end: Item | undefined;
  let limit = wanted;
  for (let read = 0; input && items.length < wanted && read < MOST_READ; limit *= GROWTH) {
    const from = end ? { ExclusiveStartKey: end } : {};
    const asked = Math.min(limit, MOST_READ);
    const answer = await patiently(deps, () =>
      deps.client.send(new QueryCommand({ ...input, ...from, Limit: asked })),
    );
    items.push(...(answer.Items ?? []));
    const scanned = answer.ScannedCount ?? 0;
    read += scanned;
    end = answer.LastEvaluatedKey;
    const isCutBySize = scanned < asked && items.length > 0;
    if (!end || isCutBySize) break;
  }
  return { items, readUpTo: end && sortKeyOf(end) };
};

const readAll = async (deps: DynamoDeps, query: PageQuery): Promise<Page> => {
  const inputs = objectPartitions(query.resource).flatMap(
    (partition) => shardQuery(deps, query, partition) ?? [],
  );
  const items = (await Promise.all(inputs.map((input) => queryAll(deps, input)))).flat();
  return { rows: items.toSorted(bySortKey).map((item) => fromLiveItem(item)) };
};

const least = (keys: readonly string[]): string | undefined =>
  keys.reduce<string | undefined>((low, key) => (low === undefined || key < low ? key : low), undefined);

/** The first `limit` rows, or fewer that have `CHARACTERS_PER_READ` together. */
const takeRows = (items: readonly Item[], limit: number): readonly LiveRow[] => {
  const { inflate, characters } = countingInflate();
  const rows: LiveRow[] = [];
  for (const item of items) {
    if (rows.length === limit || characters() >= CHARACTERS_PER_READ) break;
    rows.push(fromLiveItem(item, inflate));
  }
  return rows;
};

/** Merges rows up to the key that every unfinished shard has reached. After that key a shard may still have rows to read. */
const mergeParts = (parts: readonly ShardPart[], limit: number): Page => {
  const horizon = least(parts.flatMap(({ readUpTo }) => readUpTo ?? []));
  const known = parts
    .flatMap(({ items }) => items)
    .filter((item) => horizon === undefined || sortKeyOf(item) <= horizon);
  const sorted = known.toSorted(bySortKey);
  const rows = takeRows(sorted, limit);
  const last = sorted[rows.length - 1];
  const next = sorted.length > rows.length && last ? sortKeyOf(last) : horizon;
  return { rows, ...optional('next', next) };
};

const shareOf = (limit: number, shards: number): number => {
  const mean = limit / shards;
  return Math.min(limit, Math.ceil(mean + EXTRA_DEVIATIONS * Math.sqrt(mean)));
};

/** Rows of a resource after `after`, sorted by `namespace/name`: one consistent query per shard, in parallel. AP-06. */
export const readPage = async (deps: DynamoDeps, query: PageQuery): Promise<Page> => {
  const { resource, limit } = query;
  if (limit === undefined) return readAll(deps, query);
  const partitions = objectPartitions(resource);
  const share = shareOf(limit, partitions.length);
  const parts = await Promise.all(partitions.map((partition) => readShard(deps, query, partition, share)));
  return mergeParts(parts, limit);
};
