/** Reads owner edges from the table `control`. */
import { GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { optional } from '../../../kube/values/optional.ts';
import type {
  Dependent,
  DependentsPage,
  DependentsQuery,
  OwnerEdgeStore,
} from '../../../ports/store/owner-edges.ts';
import type { DynamoDeps } from '../table/client.ts';
import { expressions } from '../table/conditions.ts';
import { patiently } from '../table/errors.ts';
import { EDGES_COMPLETE_KEY, edgePartition, edgeRange, keyAfter, splitEdgeKey } from '../table/keys.ts';
import { type Item, requiredAttribute, textOf } from '../table/packing.ts';
import { CONTROL } from '../table/schema.ts';

const sortKeyOf = (item: Item): string => requiredAttribute(textOf(item, CONTROL.sort), CONTROL.sort);

const toDependent = (item: Item): Dependent => {
  const summary = textOf(item, CONTROL.summary);
  return {
    ...splitEdgeKey(sortKeyOf(item)),
    controller: item[CONTROL.isController] === true,
    blockOwnerDeletion: item[CONTROL.blocksDeletion] === true,
    ...optional('summary', summary),
  };
};

/** One page of the dependents of an owner. AP-47. */
const dependents = async (
  deps: DynamoDeps,
  { owner, resource, after, limit }: DependentsQuery,
): Promise<DependentsPage> => {
  const { first, last } = edgeRange(resource);
  const values = {
    partition: edgePartition(owner),
    first: after === undefined ? first : keyAfter(after),
    last,
  };
  const text = '#partition = :partition AND #sort BETWEEN :first AND :last';
  const { Items: items = [], LastEvaluatedKey: more } = await patiently(deps, () =>
    deps.client.send(
      new QueryCommand({
        TableName: deps.tables.control,
        ConsistentRead: true,
        Limit: limit,
        ...expressions(CONTROL, { KeyConditionExpression: text }, values),
      }),
    ),
  );
  const next = items.at(-1);
  return { dependents: items.map(toDependent), ...(more && next ? { next: sortKeyOf(next) } : {}) };
};

/** Whether a sweep has ended. AP-48. */
const areComplete = async (deps: DynamoDeps): Promise<boolean> => {
  const { Item: item } = await patiently(deps, () =>
    deps.client.send(
      new GetCommand({ TableName: deps.tables.control, Key: EDGES_COMPLETE_KEY, ConsistentRead: true }),
    ),
  );
  return item !== undefined;
};

/** Stores that a sweep has ended. AP-49. */
const complete = async (deps: DynamoDeps): Promise<void> => {
  await patiently(deps, () =>
    deps.client.send(new PutCommand({ TableName: deps.tables.control, Item: EDGES_COMPLETE_KEY })),
  );
};

/** Owner edges in the table `control`. */
export const createOwnerEdgeStore = (deps: DynamoDeps): OwnerEdgeStore => ({
  dependents: (query) => dependents(deps, query),
  areComplete: () => areComplete(deps),
  complete: () => complete(deps),
});
