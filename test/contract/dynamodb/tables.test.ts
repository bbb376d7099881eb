// Apart from the stores: beside the hundreds of tables that their tests leave, DynamoDB Local never ends to build an index.
import { afterAll, describe, it } from 'vitest';
import { SKIPPED, startDynamoDb } from '../../support/stores/dynamodb-local.ts';
import { tableAdminContract } from './table-admin.contract.ts';
import { tableRestoreContract } from './table-restore.contract.ts';

const running = await startDynamoDb();

if (running) {
  afterAll(() => running.stop());
  tableAdminContract(running.endpoint);
  tableRestoreContract(running.endpoint);
} else {
  console.log(SKIPPED);
  describe.skip('tables of DynamoDB', () => {
    it(SKIPPED, () => {});
  });
}
