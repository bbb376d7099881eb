import { expect, it } from 'vitest';
import { createChance } from '../../../../shared/adapters/hostile/chance.ts';
import { createFaults } from '../../../localstack/guard/faults.ts';

const DRAWS = 10_000;

const drawn = (target: string, share: number, seed = 1) => {
  const draw = createFaults(share, createChance(seed));
  return Array.from({ length: DRAWS }, () => draw(target));
};

const counted = (faults: readonly unknown[], fault: unknown): number =>
  faults.filter((one) => one === fault).length;

it('a share of the requests has a fault, each kind as often as the others, and the same for a seed', () => {
  const faults = drawn('DynamoDB_20120810.TransactWriteItems', 0.3);
  for (const fault of ['throttled', 'conflict', 'lost']) {
    expect(counted(faults, fault)).toBeGreaterThan(DRAWS * 0.08);
    expect(counted(faults, fault)).toBeLessThan(DRAWS * 0.12);
  }
  expect(drawn('DynamoDB_20120810.TransactWriteItems', 0.3)).toEqual(faults);
  expect(drawn('DynamoDB_20120810.TransactWriteItems', 0.3, 2)).not.toEqual(faults);
});

it.each([
  ['DynamoDB_20120810.PutItem', true],
  ['AmazonSQS.SendMessageBatch', true],
  ['AWSEvents.PutEvents', true],
  ['secretsmanager.GetSecretValue', false],
  ['', false],
])('only transactions conflict: %s', (target, hasFaults) => {
  const faults = drawn(target, 0.3);
  expect(counted(faults, 'conflict')).toBe(0);
  expect(counted(faults, 'lost') > 0 && counted(faults, 'throttled') > 0).toBe(hasFaults);
});

it('a share of 0 is none', () => {
  expect(new Set(drawn('DynamoDB_20120810.PutItem', 0))).toEqual(new Set([undefined]));
});
