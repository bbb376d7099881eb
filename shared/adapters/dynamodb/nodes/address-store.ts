import { DeleteCommand, GetCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type {
  AddressStore,
  AddressWrite,
  BlockPage,
  RangeState,
  WaitingNode,
} from '../../../ports/store/addresses.ts';
import type { CapacityOutcome } from '../../../ports/store/capacity.ts';
import { addressItems, fromBlockItem, fromRangeItem, fromWaitingItem } from '../items/address-items.ts';
import { controlPartition } from '../reads/reads.ts';
import { writeWithChecks } from '../reads/write-with-checks.ts';
import type { DynamoDeps } from '../table/client.ts';
import { expressions } from '../table/conditions.ts';
import { patiently } from '../table/errors.ts';
import {
  blockPartition,
  blockSort,
  ENTERED_KEY,
  rangeKey,
  WAITING_PARTITION,
  waitingKey,
} from '../table/keys.ts';
import { type Item, textOf } from '../table/packing.ts';
import { CONTROL } from '../table/schema.ts';

/** Blocks of one page, about 30 KB. */
const PAGE = 256;

const item = async (
  { client, tables, ...deps }: DynamoDeps,
  key: { readonly pk: string; readonly sk: string },
): Promise<Item | undefined> => {
  const get = new GetCommand({ TableName: tables.control, Key: key, ConsistentRead: true });
  return (await patiently(deps, () => client.send(get))).Item;
};

/** Pointer and wide holds of a range. AP-55. */
const range = async (deps: DynamoDeps, name: string): Promise<RangeState> =>
  fromRangeItem(await item(deps, rangeKey(name)));

/** The blocks that are held, from an index on. AP-56. */
const blocks = async (deps: DynamoDeps, name: string, from: number): Promise<BlockPage> => {
  const texts = { KeyConditionExpression: '#partition = :partition AND #sort >= :sort' };
  const values = { partition: blockPartition(name), sort: blockSort(from) };
  const query = new QueryCommand({
    TableName: deps.tables.control,
    ConsistentRead: true,
    Limit: PAGE,
    ...expressions(CONTROL, texts, values),
  });
  const answer = await patiently(deps, () => deps.client.send(query));
  const found = (answer.Items ?? []).map(fromBlockItem);
  const last = found.at(-1);
  const held = found.filter(({ holders }) => holders.length > 0);
  return answer.LastEvaluatedKey && last ? { blocks: held, next: last.index + 1 } : { blocks: held };
};

/** Changes who holds which blocks. AP-57. */
const write = (deps: DynamoDeps, { changes, checks }: AddressWrite): Promise<CapacityOutcome> =>
  writeWithChecks(deps, checks, addressItems(deps.tables.control, changes));

/** All Nodes that wait for a block. AP-58. */
const waiting = async (deps: DynamoDeps): Promise<readonly WaitingNode[]> =>
  (await controlPartition(deps, WAITING_PARTITION))
    .map(fromWaitingItem)
    .toSorted((a, b) => a.since - b.since);

/** Stores that a Node waits; the first instant stays. AP-59. */
const wait = async (deps: DynamoDeps, { uid, name, since }: WaitingNode): Promise<void> => {
  const texts = {
    UpdateExpression: 'SET #name = :name, #waitingSince = if_not_exists(#waitingSince, :waitingSince)',
  };
  const update = new UpdateCommand({
    TableName: deps.tables.control,
    Key: waitingKey(uid),
    ...expressions(CONTROL, texts, { name, waitingSince: since }),
  });
  await patiently(deps, () => deps.client.send(update));
};

/** A Node waits no longer. AP-60. */
const stopWaiting = async ({ client, tables, ...deps }: DynamoDeps, uid: string): Promise<void> => {
  const remove = new DeleteCommand({ TableName: tables.control, Key: waitingKey(uid) });
  await patiently(deps, () => client.send(remove));
};

/** The ranges for which the blocks of all Nodes were entered. AP-61. */
const entered = async (deps: DynamoDeps): Promise<string | undefined> => {
  const found = await item(deps, ENTERED_KEY);
  return found && textOf(found, CONTROL.entered);
};

/** Stores for which ranges the blocks of all Nodes were entered, or that they are not. AP-62. */
const setEntered = async (
  { client, tables, ...deps }: DynamoDeps,
  ranges: string | undefined,
): Promise<void> => {
  const to = { TableName: tables.control };
  const put = { ...to, Item: { ...ENTERED_KEY, [CONTROL.entered]: ranges } };
  await patiently(deps, async () => {
    if (ranges === undefined) await client.send(new DeleteCommand({ ...to, Key: ENTERED_KEY }));
    else await client.send(new PutCommand(put));
  });
};

/** Blocks of addresses in the table `control`. */
export const createAddressStore = (deps: DynamoDeps): AddressStore => ({
  range: (name) => range(deps, name),
  blocks: (name, from) => blocks(deps, name, from),
  write: (given) => write(deps, given),
  waiting: () => waiting(deps),
  wait: (node) => wait(deps, node),
  stopWaiting: (uid) => stopWaiting(deps, uid),
  entered: () => entered(deps),
  setEntered: (ranges) => setEntered(deps, ranges),
});
