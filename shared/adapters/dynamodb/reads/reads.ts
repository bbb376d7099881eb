/** Reads several rows: pages of a query or scan, pages of several sources, and rows by key. */
import {
  BatchGetCommand,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  type ScanCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { tooManyRequests } from '../../../kube/errors/status-error.ts';
import { chunksOf } from '../../../kube/values/chunks-of.ts';
import type { DynamoDeps } from '../table/client.ts';
import { expressions } from '../table/conditions.ts';
import { patiently, waitToRetry } from '../table/errors.ts';
import type { Item } from '../table/packing.ts';
import { CONTROL } from '../table/schema.ts';

/** The most keys that DynamoDB accepts in one BatchGetItem request. */
const BATCH_KEYS = 100;
const BATCH_ATTEMPTS = 6;

type PageOf = { readonly Items?: readonly Item[] | undefined; readonly LastEvaluatedKey?: Item | undefined };

const pages = async function* (
  deps: DynamoDeps,
  request: (start: Item | undefined) => Promise<PageOf>,
): AsyncGenerator<readonly Item[]> {
  let start: Item | undefined;
  do {
    const from = start;
    const page = await patiently(deps, () => request(from));
    yield page.Items ?? [];
    start = page.LastEvaluatedKey;
  } while (start);
};

/** The pages of a query, in order. Throws `StatusError` 429 while DynamoDB throttles. */
export const queryPages = (deps: DynamoDeps, input: QueryCommandInput): AsyncGenerator<readonly Item[]> =>
  pages(deps, (start) =>
    deps.client.send(new QueryCommand({ ...input, ...(start ? { ExclusiveStartKey: start } : {}) })),
  );

/** The pages of a scan, in order. Throws `StatusError` 429 while DynamoDB throttles. */
export const scanPages = (deps: DynamoDeps, input: ScanCommandInput): AsyncGenerator<readonly Item[]> =>
  pages(deps, (start) =>
    deps.client.send(new ScanCommand({ ...input, ...(start ? { ExclusiveStartKey: start } : {}) })),
  );

/** All items of a query, in order. */
export const queryAll = async (deps: DynamoDeps, input: QueryCommandInput): Promise<readonly Item[]> => {
  const items: Item[] = [];
  for await (const page of queryPages(deps, input)) items.push(...page);
  return items;
};

/** All items of one partition of the table `control`, or those whose sort keys begin so, read consistently. */
export const controlPartition = (
  deps: DynamoDeps,
  partition: string,
  prefix = '',
): Promise<readonly Item[]> => {
  const all = { text: '#partition = :partition', values: { partition } };
  const some = { text: `${all.text} AND begins_with(#sort, :sort)`, values: { partition, sort: prefix } };
  const { text, values } = prefix === '' ? all : some;
  return queryAll(deps, {
    TableName: deps.tables.control,
    ConsistentRead: true,
    ...expressions(CONTROL, { KeyConditionExpression: text }, values),
  });
};

/** The first items of a partition of `control` whose sort keys follow `after`, `''` for the first ones, read consistently. */
export const controlAfter = async (
  deps: DynamoDeps,
  partition: string,
  after: string,
  limit: number,
): Promise<readonly Item[]> => {
  const all = { text: '#partition = :partition', values: { partition } };
  // DynamoDB accepts no empty text in the condition of a key.
  const some = { text: `${all.text} AND #sort > :sort`, values: { partition, sort: after } };
  const { text, values } = after === '' ? all : some;
  const query = new QueryCommand({
    TableName: deps.tables.control,
    ConsistentRead: true,
    Limit: limit,
    ...expressions(CONTROL, { KeyConditionExpression: text }, values),
  });
  return (await patiently(deps, () => deps.client.send(query))).Items ?? [];
};

/** The first `most` items of a partition of `control`, however many pages they fill, read consistently. */
export const firstOfControl = async (
  deps: DynamoDeps,
  partition: string,
  most: number,
): Promise<readonly Item[]> => {
  const items: Item[] = [];
  const query = {
    TableName: deps.tables.control,
    ConsistentRead: true,
    Limit: most,
    ...expressions(CONTROL, { KeyConditionExpression: '#partition = :partition' }, { partition }),
  };
  for await (const page of queryPages(deps, query)) {
    items.push(...page);
    if (items.length >= most) break;
  }
  return items.slice(0, most);
};

/** Reads several sources at the same time and yields their pages in order of arrival. */
export const inParallel = async function* <T>(sources: readonly AsyncIterator<T>[]): AsyncGenerator<T> {
  const next = (source: AsyncIterator<T>) => {
    const result = source.next().then((answer) => ({ source, answer }));
    // If the caller stops early, reads in flight may still reject; ignore that.
    result.catch(() => undefined);
    return result;
  };
  const pending = new Map(sources.map((source) => [source, next(source)]));
  while (pending.size > 0) {
    const { source, answer } = await Promise.race(pending.values());
    if (answer.done) pending.delete(source);
    else {
      pending.set(source, next(source));
      yield answer.value;
    }
  }
};

const batch = async (
  deps: DynamoDeps,
  table: string,
  keys: readonly Item[],
  consistent: boolean,
  failed = 0,
): Promise<readonly Item[]> => {
  const wanted = { [table]: { Keys: [...keys], ConsistentRead: consistent } };
  const answer = await patiently(deps, () => deps.client.send(new BatchGetCommand({ RequestItems: wanted })));
  const found: readonly Item[] = answer.Responses?.[table] ?? [];
  const left: readonly Item[] = answer.UnprocessedKeys?.[table]?.Keys ?? [];
  if (left.length === 0) return found;
  if (failed + 1 >= BATCH_ATTEMPTS) throw tooManyRequests('the storage is busy; try again');
  await waitToRetry(deps, failed);
  return [...found, ...(await batch(deps, table, left, consistent, failed + 1))];
};

/**
 * The existing items with these keys, in no order. Keys that DynamoDB did not process are requested again; throws `StatusError`
 * 429 after six attempts.
 */
export const rowsByKey = async (
  deps: DynamoDeps,
  table: string,
  keys: readonly Item[],
  { consistent }: { readonly consistent: boolean },
): Promise<readonly Item[]> => {
  const batches = chunksOf(keys, BATCH_KEYS).map((some) => batch(deps, table, some, consistent));
  return (await Promise.all(batches)).flat();
};
