import { expect, it } from 'vitest';
import { billingUpdate } from '../../../../../shared/adapters/dynamodb/upkeep/table-requests.ts';
import { wantedTables } from '../../../../../shared/adapters/dynamodb/upkeep/wanted-tables.ts';

it('the table of heartbeats is billed by its units if there are some, and else by request', () => {
  const { heartbeats, objects } = wantedTables({ writes: 150, reads: 13 });
  expect(billingUpdate('t', heartbeats)).toEqual({
    TableName: 't',
    BillingMode: 'PROVISIONED',
    ProvisionedThroughput: { WriteCapacityUnits: 150, ReadCapacityUnits: 13 },
  });
  for (const wanted of [objects, wantedTables().heartbeats])
    expect(billingUpdate('t', wanted)).toEqual({ TableName: 't', BillingMode: 'PAY_PER_REQUEST' });
});
