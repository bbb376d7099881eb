import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { GetCommand, TransactGetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { CapacityClaim } from '../../domain/scheduling/capacity-claim.ts';
import type { CapacityOutcome, CapacityStore, CapacityWrite, NodeCounters } from '../../ports/capacity.ts';
import { capacityItems, fromClaimItem, fromCountersItem } from './capacity-items.ts';
import type { DynamoDeps } from './client.ts';
import { isBusyError, isFailedCondition, isUnclear, patiently, reasonsOf } from './errors.ts';
import { claimKey, claimPartition, countersKey } from './keys.ts';
import { controlPartition } from './reads.ts';
import { rowCheck } from './row-check.ts';

/** The most items that DynamoDB reads in one transaction. */
const TRANSACTION_ITEMS = 100;

/** The claims of some pods, isolated from transactions that write them. AP-43. */
const claimsOf = async (
  deps: DynamoDeps,
  node: string,
  uids: readonly string[],
): Promise<readonly CapacityClaim[]> => {
  if (uids.length === 0) return [];
  const TransactItems = uids
    .slice(0, TRANSACTION_ITEMS)
    .map((uid) => ({ Get: { TableName: deps.tables.control, Key: claimKey(node, uid) } }));
  const { Responses: found = [] } = await patiently(deps, () =>
    deps.client.send(new TransactGetCommand({ TransactItems })),
  );
  const claims = found.flatMap(({ Item: item }) => (item ? [fromClaimItem(item)] : []));
  return [...claims, ...(await claimsOf(deps, node, uids.slice(TRANSACTION_ITEMS)))];
};

/** All claims of a node. AP-44. */
const allClaims = async (deps: DynamoDeps, node: string): Promise<readonly CapacityClaim[]> =>
  (await controlPartition(deps, claimPartition(node))).map(fromClaimItem);

/** The counters of a node. AP-45. */
const readCounters = async (deps: DynamoDeps, node: string): Promise<NodeCounters | undefined> => {
  const { Item: item } = await patiently(deps, () =>
    deps.client.send(
      new GetCommand({ TableName: deps.tables.control, Key: countersKey(node), ConsistentRead: true }),
    ),
  );
  return item && fromCountersItem(item);
};

const outcomeOf = (error: unknown): CapacityOutcome => {
  if (isUnclear(error)) return 'unclear';
  if (isBusyError(error)) return 'busy';
  if (error instanceof TransactionCanceledException && reasonsOf(error).some(isFailedCondition))
    return 'refused';
  throw error;
};

/** Changes claims, and with them the counters. AP-46. */
const write = async ({ client, tables }: DynamoDeps, given: CapacityWrite): Promise<CapacityOutcome> => {
  const TransactItems = [
    ...given.checks.map((check) => rowCheck(tables.objects, check)),
    ...capacityItems(tables.control, given),
  ];
  try {
    await client.send(new TransactWriteCommand({ TransactItems }));
    return 'written';
  } catch (error) {
    return outcomeOf(error);
  }
};

/** Claims and counters in the table `control`. */
export const createCapacityStore = (deps: DynamoDeps): CapacityStore => ({
  claimsOf: (node, uids) => claimsOf(deps, node, uids),
  allClaims: (node) => allClaims(deps, node),
  counters: (node) => readCounters(deps, node),
  write: (given) => write(deps, given),
});
