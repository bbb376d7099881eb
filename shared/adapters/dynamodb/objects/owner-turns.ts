/**
 * Turns of owners in the table `control`: one item with the lease, and copies of the number that commits check. Two transactions
 * that check one item conflict, so there are several copies; the name of the child says which one a commit checks.
 */
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { EpochMs } from '../../../kube/values/time.ts';
import type { Commit } from '../../../ports/store/commit.ts';
import type { BegunTurn, OwnerTurnStore, TurnEnd, TurnStart } from '../../../ports/store/owner-turns.ts';
import { nextTurn, TURN_RETENTION_MS } from '../../../ports/store/owner-turns.ts';
import { CLOCK_SKEW_MS } from '../../../rules/zones/future-instants.ts';
import type { DynamoDeps, TransactItem } from '../table/client.ts';
import {
  allOf,
  expressions,
  HAS_NO_MARK,
  HAS_TURN,
  HAS_TURN_AS_READ,
  IS_EMPTY,
  IS_LEASE_FREE,
  IS_NO_LATER_TURN,
  IS_TURN_OF_RUN,
} from '../table/conditions.ts';
import { conditionally, patiently } from '../table/errors.ts';
import { turnCopyKey, turnCopyKeys, turnLeaseKey } from '../table/keys.ts';
import { type Item, numberOf, textOf, toTtl } from '../table/packing.ts';
import { CONTROL } from '../table/schema.ts';

type Values = Readonly<Record<string, unknown>>;

const update = (
  deps: DynamoDeps,
  key: Item,
  texts: { readonly UpdateExpression: string; readonly ConditionExpression: string },
  values: Values,
) => {
  const command = new UpdateCommand({
    TableName: deps.tables.control,
    Key: key,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    ...expressions(CONTROL, texts, values),
  });
  return conditionally(deps, () => deps.client.send(command));
};

const readLease = async ({ client, tables, ...deps }: DynamoDeps, owner: string): Promise<Item> => {
  const command = new GetCommand({
    TableName: tables.control,
    Key: turnLeaseKey(owner),
    ConsistentRead: true,
  });
  return (await patiently(deps, () => client.send(command))).Item ?? {};
};

/** Whether a request whose answer was lost, and that was sent again, has taken the turn. */
const isTakenBy = ({ run, number }: BegunTurn, item: Item | undefined): boolean =>
  item?.[CONTROL.run] === run && item[CONTROL.turn] === number;

/** Whether such a request has ended it: nobody has begun a later one. */
const isEndOf = ({ number }: BegunTurn, item: Item | undefined): boolean =>
  item?.[CONTROL.turn] === number && item[CONTROL.run] === undefined;

/** Takes the turn, if it is as read and free. AP-50. */
const take = async (
  deps: DynamoDeps,
  turn: BegunTurn,
  read: number | undefined,
  now: EpochMs,
  leaseMs: number,
): Promise<boolean> => {
  const { owner, run, number } = turn;
  const texts = {
    UpdateExpression:
      'SET #turn = :turn, #run = :run, #leaseUntil = :until, #expiresAt = :expiresAt REMOVE #wanted',
    ConditionExpression:
      read === undefined
        ? IS_EMPTY
        : allOf(HAS_TURN_AS_READ, `attribute_not_exists(#run) OR #run = :run OR ${IS_LEASE_FREE}`),
  };
  const values = {
    turn: number,
    run,
    read,
    until: now + leaseMs,
    latestLease: now + leaseMs + CLOCK_SKEW_MS,
    now,
    expiresAt: toTtl(now + TURN_RETENTION_MS),
  };
  const written = await update(deps, turnLeaseKey(owner), texts, values);
  return written.met || isTakenBy(turn, written.item);
};

/** Marks the turn that another run has; `undefined` if the run has it no more. AP-51. */
const mark = async (deps: DynamoDeps, owner: string, held: Item): Promise<TurnStart | undefined> => {
  const texts = { UpdateExpression: 'SET #wanted = :wanted', ConditionExpression: IS_TURN_OF_RUN };
  const values = { wanted: 1, turn: numberOf(held, CONTROL.turn), run: textOf(held, CONTROL.run) };
  if (!(await update(deps, turnLeaseKey(owner), texts, values)).met) return undefined;
  const until = numberOf(held, CONTROL.leaseUntil) ?? 0;
  return { outcome: 'held', until, wasMarked: held[CONTROL.wanted] !== undefined };
};

const begin = async (
  deps: DynamoDeps,
  owner: string,
  run: string,
  now: EpochMs,
  leaseMs: number,
): Promise<TurnStart> => {
  const stored = await readLease(deps, owner);
  const read = numberOf(stored, CONTROL.turn);
  const turn = { owner, run, number: nextTurn(read, now) };
  const holder = textOf(stored, CONTROL.run);
  if (await take(deps, turn, read, now, leaseMs))
    return { outcome: 'begun', turn, isTakenOver: holder !== undefined };
  const marked = holder === undefined ? undefined : await mark(deps, owner, stored);
  return marked ?? begin(deps, owner, run, now, leaseMs);
};

/** Raises one copy of the number, unless a higher one is there. AP-52. */
const raiseCopy = async (deps: DynamoDeps, key: Item, number: number, now: EpochMs): Promise<boolean> => {
  const texts = {
    UpdateExpression: 'SET #turn = :turn, #expiresAt = :expiresAt',
    ConditionExpression: IS_NO_LATER_TURN,
  };
  const values = { turn: number, expiresAt: toTtl(now + TURN_RETENTION_MS) };
  return (await update(deps, key, texts, values)).met;
};

/** Prolongs the lease of a turn. AP-53. */
const renew = async (
  deps: DynamoDeps,
  { owner, run, number }: BegunTurn,
  now: EpochMs,
  leaseMs: number,
): Promise<boolean> => {
  const texts = { UpdateExpression: 'SET #leaseUntil = :until', ConditionExpression: IS_TURN_OF_RUN };
  return (await update(deps, turnLeaseKey(owner), texts, { until: now + leaseMs, turn: number, run })).met;
};

/** Ends the turn unless it is marked, or else clears the mark. AP-54. */
const end = async (deps: DynamoDeps, turn: BegunTurn): Promise<TurnEnd> => {
  const { owner, run, number } = turn;
  const values = { turn: number, run };
  const ending = {
    UpdateExpression: 'REMOVE #run, #leaseUntil',
    ConditionExpression: allOf(IS_TURN_OF_RUN, HAS_NO_MARK),
  };
  const ended = await update(deps, turnLeaseKey(owner), ending, values);
  if (ended.met || isEndOf(turn, ended.item)) return 'ended';
  const clearing = { UpdateExpression: 'REMOVE #wanted', ConditionExpression: IS_TURN_OF_RUN };
  return (await update(deps, turnLeaseKey(owner), clearing, values)).met ? 'wanted' : 'lost';
};

/** Turns of owners in the table `control`. */
export const createOwnerTurnStore = (deps: DynamoDeps): OwnerTurnStore => ({
  begin: (owner, run, now, leaseMs) => begin(deps, owner, run, now, leaseMs),
  raise: async ({ owner, number }, now) => {
    // One by one, because each waits until no commit of an earlier turn checks the copy.
    for (const key of turnCopyKeys(owner)) if (!(await raiseCopy(deps, key, number, now))) return false;
    return true;
  },
  renew: (turn, now, leaseMs) => renew(deps, turn, now, leaseMs),
  end: (turn) => end(deps, turn),
});

/** The condition of a commit on the turn of an owner, as part of its transaction. */
export const turnItems = (table: string, { turn, key }: Commit): readonly TransactItem[] =>
  turn
    ? [
        {
          ConditionCheck: {
            TableName: table,
            Key: turnCopyKey(turn.owner, key),
            ...expressions(CONTROL, { ConditionExpression: HAS_TURN }, { turn: turn.number }),
          },
        },
      ]
    : [];
