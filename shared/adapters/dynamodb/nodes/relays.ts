/** The items of relays in the table `heartbeats`. */
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { optional } from '../../../kube/values/optional.ts';
import type { SeenBatch } from '../../../ports/store/commit.ts';
import {
  type HeartbeatItem,
  partOf,
  partPath,
  type RelayStore,
  withRelay,
} from '../../../ports/store/heartbeats.ts';
import { entryKey, fromHeartbeatItem } from '../items/heartbeat-items.ts';
import { beatsKey, packBeats, packRoster, rosterKey } from '../items/relay-items.ts';
import { rowsByKey } from '../reads/reads.ts';
import type { DynamoDeps, TransactItem } from '../table/client.ts';
import {
  allOf,
  expressions,
  IS_ENTRY_OF_NODE,
  IS_THERE,
  isAsRead,
  removeEach,
  setEach,
} from '../table/conditions.ts';
import { conditionally } from '../table/errors.ts';
import { type Item, packId, toTtl } from '../table/packing.ts';
import { HEARTBEAT } from '../table/schema.ts';

const JOIN_ATTEMPTS = 3;

/** Sends an update if its condition is met. */
const update = async (
  { tables, client, ...deps }: DynamoDeps,
  key: Item,
  texts: { readonly UpdateExpression: string; readonly ConditionExpression: string },
  values: Item,
): Promise<boolean> => {
  const command = new UpdateCommand({
    TableName: tables.heartbeats,
    Key: key,
    ...expressions(HEARTBEAT, texts, values),
  });
  return (await conditionally(deps, () => client.send(command))).met;
};

/** Reads roster and beats of a part. AP-73. */
const readRelay: (deps: DynamoDeps) => RelayStore['readRelay'] = (deps) => async (part) => {
  const keys = [rosterKey(part), beatsKey(part)];
  const found = await rowsByKey(deps, deps.tables.heartbeats, keys, { consistent: true });
  const items = found.map(fromHeartbeatItem);
  const roster = items.find((item) => item.roster)?.roster;
  const { relayed: beats, workChanges } = items.find((item) => item.relayed) ?? {};
  return {
    ...(roster ? { roster } : {}),
    ...(beats ? { beats } : {}),
    ...optional('workChanges', workChanges),
  };
};

/** Stores a roster if the stored one is as read. AP-74. */
const replaceRoster: (deps: DynamoDeps) => RelayStore['replaceRoster'] =
  (deps) => async (part, read, next, expiresAt) => {
    const values = { ...packRoster(next), expiresAt: toTtl(expiresAt) };
    return update(
      deps,
      rosterKey(part),
      {
        UpdateExpression: setEach(Object.keys(values)),
        ConditionExpression: isAsRead('rosterRevision', read),
      },
      { ...values, rosterRevisionRead: read },
    );
  };

/** Stores the beats of a batch if the stored ones are as read. AP-75. */
const replaceRelayed: (deps: DynamoDeps) => RelayStore['replaceRelayed'] =
  (deps) => async (part, read, next, expiresAt) => {
    const { aheadAt } = next;
    const values = {
      ...packBeats(next),
      expiresAt: toTtl(expiresAt),
      ...optional('aheadAt', aheadAt),
    };
    return update(
      deps,
      beatsKey(part),
      {
        UpdateExpression: setEach(Object.keys(values)) + removeEach(aheadAt === undefined ? ['aheadAt'] : []),
        ConditionExpression: isAsRead('sequence', read),
      },
      { ...values, sequenceRead: read },
    );
  };

/** Reads the entries of up to 100 nodes. AP-77. */
const entriesOf = async (deps: DynamoDeps, nodes: readonly string[]): Promise<readonly HeartbeatItem[]> => {
  const found = await rowsByKey(deps, deps.tables.heartbeats, nodes.map(entryKey), { consistent: true });
  return found.map(fromHeartbeatItem);
};

/** Notes a relay in the entry of a node. AP-76. */
const joinRelay: (deps: DynamoDeps) => RelayStore['joinRelay'] = (deps) => async (node, uid, part) => {
  for (let attempt = 0; attempt < JOIN_ATTEMPTS; attempt++) {
    const [entry] = await entriesOf(deps, [node]);
    if (entry?.uid !== uid) return false;
    const path = partPath(part);
    if (entry.relays?.at(-1) === path) return true;
    const isWritten = await update(
      deps,
      entryKey(node),
      {
        UpdateExpression: setEach(['relays']),
        ConditionExpression: allOf(IS_ENTRY_OF_NODE, isAsRead('relays', entry.relays)),
      },
      {
        relays: withRelay(entry.relays, path).join(' '),
        relaysRead: entry.relays?.join(' '),
        uid: packId(uid),
      },
    );
    if (isWritten) return true;
  }
  return false;
};

/** Tells the relays of a node that it has new work. AP-78. */
export const tellRelays = async (deps: DynamoDeps, paths: readonly string[]): Promise<void> => {
  const texts = {
    UpdateExpression: 'SET #workChanges = if_not_exists(#workChanges, :zero) + :one',
    ConditionExpression: IS_THERE,
  };
  await Promise.all(paths.map((path) => update(deps, beatsKey(partOf(path)), texts, { zero: 0, one: 1 })));
};

/** The check that a batch is still the last one. */
export const lastBatchCheck = (table: string, { part, sequence }: SeenBatch): TransactItem => ({
  ConditionCheck: {
    TableName: table,
    Key: beatsKey(part),
    ...expressions(
      HEARTBEAT,
      { ConditionExpression: isAsRead('sequence', sequence) },
      { sequenceRead: sequence },
    ),
  },
});

/** The store of relays. */
export const createRelayStore = (deps: DynamoDeps): RelayStore => ({
  readRelay: readRelay(deps),
  replaceRoster: replaceRoster(deps),
  replaceRelayed: replaceRelayed(deps),
  joinRelay: joinRelay(deps),
  entries: (nodes) => entriesOf(deps, nodes),
});
