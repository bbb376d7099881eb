/** What DynamoDB asks IAM about a request. Source: Service Authorization Reference, "Amazon DynamoDB". */
import type { AwsCall } from './policy.ts';

type Item = Readonly<Record<string, unknown>>;

/** The members of a request that name tables, indexes and keys. */
interface Request {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly Key?: Item;
  readonly Item?: Item;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Item;
  readonly RequestItems?: Readonly<Record<string, { readonly Keys?: readonly Item[] } | readonly Item[]>>;
  readonly TransactItems?: readonly Readonly<Record<string, Request>>[];
}

/** What each part of a transaction asks for. `ConditionCheck` is the only one with another name. */
const PARTS: Readonly<Record<string, string>> = {
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

/** The name of every partition key. */
const PARTITION_KEY = 'pk';

/** A value as DynamoDB's JSON has it: `{"S": "text"}`. */
const textOf = (value: unknown): string => String(Object.values((value ?? {}) as Item)[0]);

const named = (name: string, { ExpressionAttributeNames: names = {} }: Request): string =>
  names[name] ?? name;

/** The value of the partition key of a query: `pk = :value`. */
const queried = (request: Request): readonly string[] => {
  const found = /([#\w]+)\s*=\s*(:\w+)/.exec(request.KeyConditionExpression ?? '');
  const [, name = '', value = ''] = found ?? [];
  return named(name, request) === PARTITION_KEY ? [textOf(request.ExpressionAttributeValues?.[value])] : [];
};

const keysOf = (request: Request): readonly string[] => {
  const item = request.Key ?? request.Item;
  return item === undefined ? queried(request) : [textOf(item[PARTITION_KEY])];
};

/** How a table or an index is named in policies. */
export type ArnOf = (table: string, index?: string) => string;

const callOf = (action: string, request: Request, arnOf: ArnOf): AwsCall => ({
  action: `dynamodb:${action}`,
  resource: arnOf(request.TableName ?? '', request.IndexName),
  keys: { 'dynamodb:leadingkeys': keysOf(request) },
});

const batchCalls = (action: string, { RequestItems = {} }: Request, arnOf: ArnOf): readonly AwsCall[] =>
  Object.entries(RequestItems).map(([table, items]) => {
    const keys = 'Keys' in items ? (items.Keys ?? []) : [];
    const leading = keys.map((key) => textOf(key[PARTITION_KEY]));
    return {
      action: `dynamodb:${action}`,
      resource: arnOf(table),
      keys: { 'dynamodb:leadingkeys': leading },
    };
  });

/** The calls of a request: one for each part of a transaction, and for each table of a batch. */
export const dynamoDbCalls = (operation: string, body: object, arnOf: ArnOf): readonly AwsCall[] => {
  const request = body as Request;
  if (request.TransactItems)
    return request.TransactItems.flatMap((part) =>
      Object.entries(part).map(([name, one]) => callOf(PARTS[name] ?? name, one, arnOf)),
    );
  return request.RequestItems ? batchCalls(operation, request, arnOf) : [callOf(operation, request, arnOf)];
};
