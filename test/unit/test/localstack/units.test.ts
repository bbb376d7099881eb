import { describe, expect, it } from 'vitest';
import { askingForUnits, consumedBy, kindOf } from '../../../localstack/guard/units.ts';

describe('what requests to DynamoDB consume', () => {
  it.each([
    ['DynamoDB_20120810.GetItem', 'read'],
    ['DynamoDB_20120810.Scan', 'read'],
    ['DynamoDB_20120810.BatchGetItem', 'read'],
    ['DynamoDB_20120810.UpdateItem', 'write'],
    ['DynamoDB_20120810.TransactWriteItems', 'write'],
    ['DynamoDB_20120810.BatchWriteItem', 'write'],
    ['DynamoDB_20120810.DescribeTable', undefined],
    ['AmazonSQS.SendMessage', undefined],
  ])('%s: %s', (target, kind) => {
    expect(kindOf(target)).toBe(kind);
  });

  it('is asked for by each request', () => {
    expect(JSON.parse(askingForUnits('{"TableName":"t"}'))).toEqual({
      TableName: 't',
      ReturnConsumedCapacity: 'TOTAL',
    });
  });

  it('is told of each table of a batch, and is at least what AWS takes for keys that are missing', () => {
    const Keys = [{}, {}];
    const sent = JSON.stringify({ RequestItems: { a: { ConsistentRead: true, Keys }, b: { Keys } } });
    const given = [
      { TableName: 'a', CapacityUnits: 1 },
      { TableName: 'b', CapacityUnits: 4 },
    ];
    expect(consumedBy('read', sent, JSON.stringify({ ConsumedCapacity: given }))).toEqual([
      { kind: 'read', table: 'a', units: 2 },
      { kind: 'read', table: 'b', units: 4 },
    ]);
  });

  it('is what the answer says of a write, and nothing if it does not say', () => {
    const given = [{ TableName: 'a', CapacityUnits: 6 }];
    expect(consumedBy('write', '{}', JSON.stringify({ ConsumedCapacity: given }))).toEqual([
      { kind: 'write', table: 'a', units: 6 },
    ]);
    expect(consumedBy('read', '{}', '{}')).toEqual([]);
  });
});
