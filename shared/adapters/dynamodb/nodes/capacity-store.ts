import { GetCommand, TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import type {
  CapacityOutcome,
  CapacityStore,
  CapacityWrite,
  NodeCounters,
} from '../../../ports/store/capacity.ts';
import type { CapacityClaim } from '../../../rules/scheduling/cluster/capacity-claim.ts';
import { capacityItems, fromClaimItem, fromCountersItem } from '../items/capacity-items.ts';
import { controlAfter, controlPartition } from '../reads/reads.ts';
import { writeWithChecks } from '../reads/write-with-checks.ts';
import type { DynamoDeps } from '../table/client.ts';
import { patiently } from '../table/errors.ts';
import { claimKey, claimPartition, countersKey } from '../table/keys.ts';

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

/** Some claims of a node, in the order of their sort keys. AP-72. */
const claimsAfter = async (
  deps: DynamoDeps,
  node: string,
  after: string,
  limit: number,
): Promise<readonly CapacityClaim[]> =>
  (await controlAfter(deps, claimPartition(node), after, limit)).map(fromClaimItem);

/** The counters of a node. AP-45. */
const readCounters = async (deps: DynamoDeps, node: string): Promise<NodeCounters | undefined> => {
  const { Item: item } = await patiently(deps, () =>
    deps.client.send(
      new GetCommand({ TableName: deps.tables.control, Key: countersKey(node), ConsistentRead: true }),
    ),
  );
  return item && fromCountersItem(item);
};

/** Changes claims, and with them the counters. AP-46. */
const write = (deps: DynamoDeps, given: CapacityWrite): Promise<CapacityOutcome> =>
  writeWithChecks(deps, given.checks, capacityItems(deps.tables.control, given));

/** Claims and counters in the table `control`. */
export const createCapacityStore = (deps: DynamoDeps): CapacityStore => ({
  claimsOf: (node, uids) => claimsOf(deps, node, uids),
  allClaims: (node) => allClaims(deps, node),
  claimsAfter: (node, after, limit) => claimsAfter(deps, node, after, limit),
  counters: (node) => readCounters(deps, node),
  write: (given) => write(deps, given),
});
