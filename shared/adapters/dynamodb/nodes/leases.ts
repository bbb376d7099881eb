/** Writes and deletes Leases, which are fields of heartbeat items. */

import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { GetCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { tooManyRequests } from '../../../kube/errors/status-error.ts';
import { optional } from '../../../kube/values/optional.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import type { HeartbeatItem, LeaseKey, LeaseOutcome, LeaseWrite } from '../../../ports/store/heartbeats.ts';
import { LEASE_MARKER_RETENTION_MS } from '../../../ports/store/heartbeats.ts';
import { refuseLeaseDeletion, refuseLeaseWrite } from '../../../rules/nodes/lease-refusal.ts';
import {
  fromHeartbeatItem,
  heartbeatKey,
  LEASE_FIELDS,
  leaseBody,
  leaseIdentity,
} from '../items/heartbeat-items.ts';
import { rowCheck } from '../reads/row-check.ts';
import type { DynamoDeps } from '../table/client.ts';
import {
  allOf,
  expressions,
  HAS_LEASE,
  HAS_LOWER_VERSION,
  HAS_NO_LEASE,
  HAS_VERSION_AS_READ,
  IS_ENTRY_OF_NODE,
  isNotLater,
  removeEach,
  setEach,
} from '../table/conditions.ts';
import {
  conditionally,
  isFailedCondition,
  patiently,
  plainItem,
  reasonsOf,
  type Written,
} from '../table/errors.ts';
import { bytesOf, type Item, packId, toTtl } from '../table/packing.ts';
import { HEARTBEAT } from '../table/schema.ts';

/** The most attempts for one write. Each uses the item that refused the previous one; only concurrent writers need more than two. */
const ATTEMPTS = 6;

/** One attempt: the version to write, and the instants to write, whose stored values must not be later. */
interface Attempt {
  readonly version: number;
  readonly moved: readonly ('observedAt' | 'leaseAt')[];
}

const leaseUpdate = ({ tables }: DynamoDeps, write: LeaseWrite, { version, moved }: Attempt) => {
  const values = {
    version,
    ...leaseBody(write.key.name, write.lease),
    ...(write.expected === undefined ? leaseIdentity(write.lease) : {}),
    ...optional('expiresAt', write.expiresAt === undefined ? undefined : toTtl(write.expiresAt)),
    ...Object.fromEntries(moved.map((name) => [name, write.at])),
  };
  const removed = removeEach(write.expiresAt === undefined ? ['expiresAt'] : []);
  const ConditionExpression = allOf(
    ...(write.expected === undefined ? [HAS_NO_LEASE, HAS_LOWER_VERSION] : [HAS_LEASE, HAS_VERSION_AS_READ]),
    write.nodeUid === undefined ? undefined : IS_ENTRY_OF_NODE,
    ...moved.map(isNotLater),
  );
  const uid = write.nodeUid === undefined ? undefined : packId(write.nodeUid);
  return {
    TableName: tables.heartbeats,
    Key: heartbeatKey(write.key),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    ...expressions(
      HEARTBEAT,
      { UpdateExpression: `${setEach(Object.keys(values))}${removed}`, ConditionExpression },
      { ...values, uid, at: write.at, expected: write.expected },
    ),
  };
};

const fromOptional = (item: Item | undefined): HeartbeatItem | undefined => item && fromHeartbeatItem(item);

/** Whether the stored Lease is our own write, sent again after a lost answer: same version, same bytes. */
const isOwnWork = (raw: Item | undefined, write: LeaseWrite, { version }: Attempt): boolean => {
  const stored = raw && bytesOf(raw, HEARTBEAT.lease);
  if (!stored || raw[HEARTBEAT.version] !== version) return false;
  return Buffer.compare(stored, leaseBody(write.key.name, write.lease).lease) === 0;
};

const nextAttempt = (
  item: HeartbeatItem | undefined,
  { at, expected }: LeaseWrite,
  { version, moved }: Attempt,
) => ({
  version: expected === undefined ? Math.max(version, (item?.version ?? 0) + 1) : version,
  moved: moved.filter((name) => (item?.[name] ?? 0) <= at),
});

const outcomeOf = (written: Written, write: LeaseWrite, attempt: Attempt): LeaseOutcome | undefined => {
  if (written.met) return { outcome: 'stored', item: fromHeartbeatItem(written.item) };
  if (written.item && isOwnWork(written.item, write, attempt))
    return { outcome: 'stored', item: fromHeartbeatItem(written.item) };
  const item = fromOptional(written.item);
  const refused = refuseLeaseWrite(item, write);
  return refused && { outcome: refused, item };
};

type LeaseUpdate = ReturnType<typeof leaseUpdate>;

/** Writes the Lease in one transaction with the check of its namespace, and reads it. `undefined`: the namespace has changed. */
const withNamespace = async (
  deps: DynamoDeps,
  namespace: NonNullable<LeaseWrite['namespace']>,
  update: LeaseUpdate,
): Promise<Written | undefined> => {
  const { client, tables } = deps;
  const items = [rowCheck(tables.objects, namespace), { Update: update }];
  try {
    await patiently(deps, () => client.send(new TransactWriteCommand({ TransactItems: items })));
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const [ofNamespace, ofLease] = reasonsOf(error);
    if (isFailedCondition(ofNamespace)) return undefined;
    if (!isFailedCondition(ofLease)) throw error;
    const raw = error.CancellationReasons?.[1]?.Item;
    return { met: false, item: raw && plainItem(raw) };
  }
  const { TableName, Key } = update;
  const get = new GetCommand({ TableName, Key, ConsistentRead: true });
  return { met: true, item: (await patiently(deps, () => client.send(get))).Item ?? {} };
};

const sendUpdate = async (
  deps: DynamoDeps,
  { namespace }: LeaseWrite,
  update: LeaseUpdate,
): Promise<Written | undefined> =>
  namespace
    ? withNamespace(deps, namespace, update)
    : conditionally(deps, () => deps.client.send(new UpdateCommand({ ...update, ReturnValues: 'ALL_NEW' })));

/** Creates or renews a Lease with one write. If a stored instant is later, it is kept, which costs a second write. AP-18. */
export const writeLease = async (
  deps: DynamoDeps,
  write: LeaseWrite,
  attempt: Attempt = {
    version: Math.max(write.at, (write.expected ?? 0) + 1),
    moved: ['observedAt', 'leaseAt'],
  },
  failed = 0,
): Promise<LeaseOutcome> => {
  const written = await sendUpdate(deps, write, leaseUpdate(deps, write, attempt));
  if (!written) return { outcome: 'namespaceChanged', item: undefined };
  const outcome = outcomeOf(written, write, attempt);
  if (outcome) return outcome;
  if (failed + 1 >= ATTEMPTS) throw tooManyRequests('too many clients write this Lease; try again');
  return writeLease(deps, write, nextAttempt(fromOptional(written.item), write, attempt), failed + 1);
};

const leaseRemoval = (
  { tables }: DynamoDeps,
  key: LeaseKey,
  {
    version,
    expected,
    expiresAt,
  }: {
    readonly version: number;
    readonly expected: number | undefined;
    readonly expiresAt: number;
  },
) =>
  new UpdateCommand({
    TableName: tables.heartbeats,
    Key: heartbeatKey(key),
    ReturnValues: 'ALL_OLD',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    ...expressions(
      HEARTBEAT,
      {
        UpdateExpression: `SET #version = :version, #expiresAt = if_not_exists(#expiresAt, :expiresAt)${removeEach(LEASE_FIELDS)}`,
        ConditionExpression: allOf(
          HAS_LEASE,
          expected === undefined ? HAS_LOWER_VERSION : HAS_VERSION_AS_READ,
        ),
      },
      { version, expected, expiresAt },
    ),
  });

/** Removes the fields of the Lease and raises the version, by which watchers see that it was deleted. AP-19. */
export const deleteLease = async (
  deps: DynamoDeps,
  key: LeaseKey,
  at: EpochMs,
  expected: number | undefined,
  least = 0,
  failed = 0,
): Promise<LeaseOutcome> => {
  const version = Math.max(at, (expected ?? 0) + 1, least);
  const expiresAt = toTtl(at + LEASE_MARKER_RETENTION_MS);
  const written = await conditionally(deps, () =>
    deps.client.send(leaseRemoval(deps, key, { version, expected, expiresAt })),
  );
  if (written.met) return { outcome: 'stored', item: fromHeartbeatItem(written.item) };
  const item = fromOptional(written.item);
  const refused = refuseLeaseDeletion(item, expected);
  if (refused) return { outcome: refused, item };
  if (failed + 1 >= ATTEMPTS) throw tooManyRequests('too many clients write this Lease; try again');
  return deleteLease(deps, key, at, expected, (item?.version ?? 0) + 1, failed + 1);
};
