// A restore on DynamoDB Local, whose tables are copied as AWS restores them.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { TABLES } from '../../../shared/adapters/dynamodb/table/schema.ts';
import { compareTables } from '../../../shared/adapters/dynamodb/upkeep/compare.ts';
import { findTables } from '../../../shared/adapters/dynamodb/upkeep/found-tables.ts';
import {
  forEachTable,
  keptTableName,
  type TableName,
} from '../../../shared/adapters/dynamodb/upkeep/names.ts';
import { createRestoredRows } from '../../../shared/adapters/dynamodb/upkeep/restore/restored-control.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import type { HoldBook } from '../../../shared/rules/holds/hold-book.ts';
import { floorAt } from '../../../shared/rules/zones/future-instants.ts';
import { change, EXPIRES_AT, T0 } from '../../support/stores/builders.ts';
import { createCopyingRestorer, restoreInPieces } from '../../support/stores/copying-restorer.ts';
import { type DynamoStores, dynamoStores, SYSTEM } from '../../support/stores/dynamodb-stores.ts';
import { createTables } from '../../support/stores/dynamodb-tables.ts';
import { localTablesAt } from '../../support/stores/local-tables.ts';

/** The instant of the restore: a whole second. */
const AT = T0 + 60_000;
const NOW = T0 + 600_000;

const SEEN = { topic: 'absent-node', name: 'n1', uid: 'u1', since: T0 } as const;

const BOOK: HoldBook = { v: 1, epoch: 4, active: [], past: [] };

const storesOf = (client: DynamoDBDocumentClient, nameOf: (table: TableName) => string): DynamoStores =>
  dynamoStores({ client, tables: forEachTable(nameOf), ...SYSTEM });

/** What stays: a node and a sighting; a book of holds; and what does not: a counter with a floor sample, what a pass said of the next ones, one that holds its lease, an open watch, public keys. */
const fill = async ({ objects, control, watchSlots, publicKeys }: DynamoStores): Promise<void> => {
  await change(objects, { key: nodeKey('early') });
  await objects.addFloorSample('nodes', { minute: 1, counter: T0 }, EXPIRES_AT);
  await control.startPass(T0, T0, 10_000);
  const calm = { counter: T0, counterSince: T0, calmUntil: NOW + 20_000 };
  await control.endPass(1, T0, { at: T0, nodes: 1, calm });
  await control.noteQueued(undefined, NOW + 20_000);
  await control.startPass(AT, AT, 10_000);
  await control.raiseClockFloor(T0, 2);
  await publicKeys.publish({ current: 'k1', keys: {} }, T0);
  await watchSlots.take('ann', 1, T0, EXPIRES_AT);
  await control.replaceSighting(SEEN, undefined, SEEN);
  await control.replaceHoldBook(0, BOOK);
};

/** The cases. */
export const tableRestoreContract = (endpoint: string): void => {
  describe('a restore of tables on DynamoDB', () => {
    it('has what was there, takes out what does not hold for an earlier instant, and goes on wherever it is killed', async () => {
      const stack = randomUUID();
      const { admin: local, client } = localTablesAt(endpoint);
      await createTables(client, stack);
      const documents = DynamoDBDocumentClient.from(client, {
        marshallOptions: { removeUndefinedValues: true },
      });
      const before = storesOf(documents, (table) => keptTableName(stack, table));
      await fill(before);
      const { keep, restorer, admin } = createCopyingRestorer(client, local);
      for (const table of ['objects', 'heartbeats', 'control'] as const)
        await keep(keptTableName(stack, table), AT);
      const { revision } = await change(before.objects, { key: nodeKey('late') });

      const wait = async (): Promise<void> => {
        await sleep(20);
      };
      const rows = createRestoredRows(documents);
      const deps = { admin, restorer, rows, wait, now: () => NOW };
      expect(await restoreInPieces(deps, { stack, generation: 1, at: AT, wanted: TABLES })).toBeGreaterThan(
        3,
      );

      const nameOf = (table: TableName): string => keptTableName(stack, table, 2);
      expect(compareTables(await findTables(admin, nameOf), TABLES)).toEqual([]);
      const { objects, control, watchSlots, publicKeys } = storesOf(documents, nameOf);
      expect([await objects.read(nodeKey('early')), await objects.read(nodeKey('late'))]).toEqual([
        expect.objectContaining({ key: nodeKey('early') }),
        undefined,
      ]);
      expect(await control.sighting(SEEN)).toEqual(SEEN);
      // The new counters know of the holds.
      const counter = { counter: NOW, watermarks: [], seed: NOW };
      expect([await objects.counter('nodes'), await objects.floorSamples('nodes')]).toEqual([counter, []]);
      expect(await control.holdBook()).toEqual(BOOK);
      expect((await objects.takeRevisions('pods', 1, NOW)).holdEpoch).toBe(BOOK.epoch);
      expect((await objects.takeRevisions('nodes', 1, NOW)).highest).toBeGreaterThan(revision);
      expect(await watchSlots.take('ann', 1, NOW, EXPIRES_AT)).toBe(0);
      expect(await publicKeys.read()).toBeUndefined();

      for (const name of ['queuedUntil', 'calmUntil', 'counter', 'counterSince'])
        expect(await control.readPass()).not.toHaveProperty(name);
      const pass = await control.startPass(NOW + 3_600_000, NOW + 3_600_000, 10_000);
      // However long the deploy takes, silence counts from the first pass.
      expect(pass && floorAt(pass, NOW + 3_600_000)).toBe(NOW + 3_600_000);
      expect(await rows(nameOf('control'), 2).isDone()).toBe(true);
      expect(await rows(nameOf('control'), 3).isDone()).toBe(false);
      client.destroy();
    });
  });
};
