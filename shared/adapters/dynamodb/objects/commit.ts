/** Writes one change in one transaction: the object, its log entries, and what else the commit changes. */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { requestEntityTooLarge, StatusError } from '../../../kube/errors/status-error.ts';
import type { LogEntry, Slot } from '../../../ports/store/change-log.ts';
import type { Commit, CommitOutcome, NoExecuteCheck } from '../../../ports/store/commit.ts';
import type { HeartbeatItem } from '../../../ports/store/heartbeats.ts';
import { edgeItems } from '../items/edge-items.ts';
import { fromHeartbeatItem } from '../items/heartbeat-items.ts';
import { effectItem, mayRepeat } from '../nodes/heartbeat-effects.ts';
import { lastBatchCheck } from '../nodes/relays.ts';
import { rowCheck } from '../reads/row-check.ts';
import type { DynamoDeps, TransactItem } from '../table/client.ts';
import {
  expressions,
  HAS_SAME_TAINTS,
  IS_ABSENT_OR_OLDER_MARKER,
  IS_AS_READ,
  IS_EMPTY,
} from '../table/conditions.ts';
import { isBusy, isBusyError, isFailedCondition, isUnclear, plainItem, reasonsOf } from '../table/errors.ts';
import { assertFits, objectPrimaryKey, toEntryItem, toObjectItem } from '../table/items.ts';
import { packNoExecute } from '../table/packing.ts';
import { CHANGE, OBJECT, type TableNames } from '../table/schema.ts';
import { turnItems } from './owner-turns.ts';
import { readSlotsOfCommit } from './revisions.ts';

/** The positions of these items in the transaction. The cancellation reasons have the same order. */
const OBJECT_PLACE = 0;
const SLOT_PLACE = 1;
const EFFECT_PLACE = 2;
/** The most attempts for one effect: the first, one for each of two instants that is stored later than ours, and one to adopt. */
const EFFECT_ATTEMPTS = 4;

const objectPut = (tables: TableNames, commit: Commit) => ({
  Put: {
    TableName: tables.objects,
    Item: toObjectItem(commit),
    ...expressions(
      OBJECT,
      { ConditionExpression: commit.expected === undefined ? IS_ABSENT_OR_OLDER_MARKER : IS_AS_READ },
      { expected: commit.expected, revision: commit.revision },
    ),
  },
});

const slotPut = (tables: TableNames, entry: LogEntry) => ({
  Put: {
    TableName: tables.changes,
    Item: toEntryItem(entry),
    ...expressions(CHANGE, { ConditionExpression: IS_EMPTY }),
  },
});

const taintCheck = (tables: TableNames, { node, noExecute }: NoExecuteCheck) => ({
  ConditionCheck: {
    TableName: tables.objects,
    Key: objectPrimaryKey({ resource: 'nodes', namespace: '', name: node }),
    ...expressions(OBJECT, { ConditionExpression: HAS_SAME_TAINTS }, { noExecute: packNoExecute(noExecute) }),
  },
});

const capacityItems = (
  { tables, capacityItems: itemsOf }: DynamoDeps,
  { capacity }: Commit,
): readonly TransactItem[] => {
  if (!capacity) return [];
  if (!itemsOf) throw new Error('these stores keep no claims');
  return itemsOf(tables.control, capacity);
};

const addressItems = (
  { tables, addressItems: itemsOf }: DynamoDeps,
  { addresses }: Commit,
): readonly TransactItem[] => {
  if (!addresses) return [];
  if (!itemsOf) throw new Error('these stores keep no blocks of addresses');
  return itemsOf(tables.control, addresses);
};

const relayChecks = ({ tables }: DynamoDeps, { heartbeat }: Commit): readonly TransactItem[] =>
  heartbeat?.effect === 'unmoved'
    ? (heartbeat.relays ?? []).map((seen) => lastBatchCheck(tables.heartbeats, seen))
    : [];

/** Few tokens count their uses, so what writes the count is loaded with the first one. */
const useItems = async ({ tables }: DynamoDeps, { tokenUse }: Commit): Promise<readonly TransactItem[]> =>
  tokenUse ? [(await import('../items/token-use-item.ts')).tokenUseItem(tables.control, tokenUse)] : [];

const transactItems = async (
  deps: DynamoDeps,
  commit: Commit,
  seen: HeartbeatItem | undefined,
): Promise<TransactItem[]> => [
  objectPut(deps.tables, commit),
  slotPut(deps.tables, commit.entry),
  ...(commit.heartbeat ? [effectItem(deps.tables.heartbeats, commit.heartbeat, seen)] : []),
  ...(commit.check ? [taintCheck(deps.tables, commit.check)] : []),
  ...relayChecks(deps, commit),
  ...capacityItems(deps, commit),
  ...(commit.rows ?? []).map((check) => rowCheck(deps.tables.objects, check)),
  ...edgeItems(deps.tables.control, commit),
  ...turnItems(deps.tables.control, commit),
  ...addressItems(deps, commit),
  ...(await useItems(deps, commit)),
  ...(commit.preceding ? [slotPut(deps.tables, commit.preceding)] : []),
];

/** Reads the slots of a commit to find out its outcome. The slot of the change itself comes first. */
const readOwnSlot = async (
  deps: DynamoDeps,
  { key, revision, preceding }: Commit,
): Promise<Slot | undefined> => {
  const first = preceding?.revision ?? revision;
  const slots = await readSlotsOfCommit(deps, key.resource, first, revision);
  return slots.get(revision) ?? slots.get(first);
};

const bySlot = (slot: Slot, { entry }: Commit): CommitOutcome =>
  // An entry of our own attempt means that the commit succeeded; a tombstone of it means that the attempt was given up.
  slot.slot === 'entry' && slot.attempt === entry.attempt
    ? { outcome: 'committed' }
    : { outcome: 'slotTaken', slot };

/** The cancellation reasons of the commit's slots. A preceding entry is the last item of the transaction. */
const slotReasons = ({ preceding }: Commit, reasons: readonly string[]): readonly (string | undefined)[] =>
  preceding ? [reasons[SLOT_PLACE], reasons.at(-1)] : [reasons[SLOT_PLACE]];

/** The outcome for failed conditions. The slot is checked first: an entry of our own attempt means that the commit succeeded. */
const byConditions = async (
  deps: DynamoDeps,
  commit: Commit,
  reasons: readonly string[],
): Promise<CommitOutcome> => {
  const slot = await readOwnSlot(deps, commit);
  if (slot) return bySlot(slot, commit);
  // An earlier request of the same attempt may still be in progress: the object is written and the slot is still locked.
  const ofSlots = slotReasons(commit, reasons);
  if (ofSlots.some(isBusy)) return { outcome: 'busy' };
  if (isFailedCondition(reasons[OBJECT_PLACE])) return { outcome: 'objectConflict' };
  // The slot was filled a moment ago and is empty now: it expired, or the log was cleared.
  return { outcome: ofSlots.some(isFailedCondition) ? 'unclear' : 'checkFailed' };
};

/** Facts are stored beside the body, uncompressed, so an item that `assertFits` accepts may still exceed 400 KB. */
const isTooLarge = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  if (error instanceof TransactionCanceledException) return reasonsOf(error).includes('ValidationError');
  return error.name === 'ValidationException' && error.message.includes('size');
};

const byError = async (deps: DynamoDeps, commit: Commit, error: unknown): Promise<CommitOutcome> => {
  if (isUnclear(error)) return { outcome: 'unclear' };
  if (isBusyError(error)) return { outcome: 'busy' };
  if (isTooLarge(error)) throw requestEntityTooLarge('the object and its facts are too large to store');
  if (!(error instanceof TransactionCanceledException)) throw error;
  const reasons = reasonsOf(error);
  if (!reasons.some(isFailedCondition)) throw error;
  try {
    return await byConditions(deps, commit, reasons);
  } catch (readError) {
    if (isUnclear(readError) || readError instanceof StatusError) return { outcome: 'unclear' };
    throw readError;
  }
};

/** The heartbeat item whose condition failed; `undefined` if another condition failed, too. */
const refusingItem = (error: unknown): HeartbeatItem | undefined => {
  if (!(error instanceof TransactionCanceledException)) return undefined;
  const isOnlyEffect = reasonsOf(error).every((reason, place) =>
    place === EFFECT_PLACE ? isFailedCondition(reason) : reason === 'None',
  );
  const raw = error.CancellationReasons?.[EFFECT_PLACE]?.Item;
  return isOnlyEffect && raw ? fromHeartbeatItem(plainItem(raw)) : undefined;
};

const attempt = async (
  deps: DynamoDeps,
  commit: Commit,
  seen?: HeartbeatItem,
  failed = 0,
): Promise<CommitOutcome> => {
  // DynamoDB accepts the token only with exactly the same items. A retry with a changed effect is sent without it; the condition
  // on the slot still prevents a second write.
  const token = seen ? {} : { ClientRequestToken: commit.entry.attempt };
  try {
    await deps.client.send(
      new TransactWriteCommand({ TransactItems: await transactItems(deps, commit, seen), ...token }),
    );
    return { outcome: 'committed' };
  } catch (error) {
    const item = refusingItem(error);
    if (item && mayRepeat(commit.heartbeat, item) && failed + 1 < EFFECT_ATTEMPTS)
      return attempt(deps, commit, item, failed + 1);
    return byError(deps, commit, error);
  }
};

/** Writes object and log entry together, or nothing; 413 when they are too large. AP-09. */
export const commitChange = async (deps: DynamoDeps, commit: Commit): Promise<CommitOutcome> => {
  if (commit.expected !== undefined && commit.expected >= commit.revision)
    return { outcome: 'objectConflict' };
  for (const { object, before } of [commit.entry, ...(commit.preceding ? [commit.preceding] : [])])
    assertFits(object, before);
  return attempt(deps, commit);
};
