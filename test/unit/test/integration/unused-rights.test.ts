import { describe, expect, it } from 'vitest';
import { type Grants, REASONS, type Reason, unusedRights } from '../../../integration/unused-rights.ts';

const TABLE = 'arn:aws:dynamodb:us-east-1:000000000000:table/objects';
const INDEX = `${TABLE}/index/by-node`;

const grants = (...statements: Grants['statements']): readonly Grants[] => [
  { function: 'drain', name: 'Rollcall-drain-1', statements },
];

const reads = {
  Effect: 'Allow',
  Action: ['dynamodb:Query', 'dynamodb:GetItem'],
  Resource: [TABLE, `${TABLE}/index/*`],
} as const;

const right = (action: string, resource: string) => ({ function: 'drain', action, resource });

const reasonFor = (action: string): Reason => ({ function: '*', action, resource: '*', why: 'because' });

describe('a right is unused', () => {
  it('if no call has its action on its resource', () => {
    const calls = {
      [`Rollcall-drain-1 dynamodb:Query ${INDEX}`]: 3,
      [`Rollcall-drain-1 dynamodb:GetItem ${TABLE}`]: 1,
    };
    expect(unusedRights(grants(reads), calls, []).rights).toEqual([
      right('dynamodb:Query', TABLE),
      right('dynamodb:GetItem', `${TABLE}/index/*`),
    ]);
  });

  it('if only another function has such a call', () => {
    const queries = { ...reads, Action: 'dynamodb:Query', Resource: TABLE };
    const calls = { [`Rollcall-drain-2 dynamodb:Query ${TABLE}`]: 1 };
    expect(unusedRights(grants(queries), calls, []).rights).toEqual([right('dynamodb:Query', TABLE)]);
  });

  it('once, however many statements give it', () => {
    const queries = { ...reads, Action: 'dynamodb:Query', Resource: TABLE };
    expect(unusedRights(grants(queries, queries), {}, []).rights).toHaveLength(1);
  });

  it('unless there is a reason for it, or a statement denies it', () => {
    const denied = { ...reads, Effect: 'Deny' as const, Action: 'dynamodb:PutItem' };
    expect(
      unusedRights(grants(reads, denied), {}, [reasonFor('dynamodb:*Item'), reasonFor('*Query')]),
    ).toEqual({ rights: [], reasons: [] });
  });
});

it('a reason that is for no right is told', () => {
  const reason = reasonFor('dynamodb:PutItem');
  expect(unusedRights(grants(reads), {}, [reasonFor('dynamodb:*'), reason]).reasons).toEqual([reason]);
});

it('reasons have a text, and no two are for the same', () => {
  const keys = REASONS.map(({ why: _why, ...rest }) => JSON.stringify(rest));
  expect(new Set(keys).size).toBe(REASONS.length);
  for (const { why } of REASONS) expect(why).not.toBe('');
});
