// What an operator's commands ask of tables, on DynamoDB Local.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateTableCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, describe, expect, it } from 'vitest';
import { TABLES } from '../../../shared/adapters/dynamodb/table/schema.ts';
import { compareTables } from '../../../shared/adapters/dynamodb/upkeep/compare.ts';
import { findTables } from '../../../shared/adapters/dynamodb/upkeep/found-tables.ts';
import { forEachTable, keptTableName, TABLE_NAMES } from '../../../shared/adapters/dynamodb/upkeep/names.ts';
import { repairTables } from '../../../shared/adapters/dynamodb/upkeep/repair.ts';
import { createTableInput } from '../../../shared/adapters/dynamodb/upkeep/table-requests.ts';
import { deleteTables } from '../../support/stores/dynamodb-tables.ts';
import { localTablesAt } from '../../support/stores/local-tables.ts';

/** The cases; each makes tables of its own. */
export const tableAdminContract = (endpoint: string): void => {
  describe('tables on DynamoDB', () => {
    const { admin, client } = localTablesAt(endpoint);
    const wait = async (): Promise<void> => {
      await sleep(50);
    };
    const stack = randomUUID();
    const nameOf = (table: keyof typeof TABLES): string => keptTableName(stack, table);
    const find = () => findTables(admin, nameOf);

    afterAll(async () => {
      for (const TableName of TABLE_NAMES.map(nameOf))
        await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }));
      await deleteTables(client, forEachTable(nameOf));
      client.destroy();
    });

    it('that do not exist are found missing', async () => {
      const words = compareTables(await find(), TABLES).map((finding) => finding.words);
      expect(new Set(words)).toEqual(new Set(['does not exist']));
    });

    it('as a restore leaves them are repaired, and a second repair has nothing to do', async () => {
      for (const table of TABLE_NAMES) {
        const { stream: _none, ...schema } = TABLES[table];
        const bare = createTableInput(nameOf(table), { ...schema, indexes: schema.indexes.slice(0, 1) });
        await client.send(new CreateTableCommand(bare));
      }
      const said: string[] = [];
      const deps = { admin, wait, say: (text: string) => said.push(text) };
      await repairTables(deps, nameOf, TABLES);
      expect(said).toContain(`${nameOf('objects')}: the index unbound-pods`);
      expect(compareTables(await find(), TABLES)).toEqual([]);
      const before = said.length;
      await repairTables(deps, nameOf, TABLES);
      expect(said.slice(before)).toEqual([]);
    });
  });
};
