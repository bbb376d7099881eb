import { describe, expect, it } from 'vitest';
import { checkStatement, isAllowed, type Statement } from '../../../localstack/guard/policy.ts';

const TABLE = 'arn:aws:dynamodb:us-east-1:000000000000:table/Rollcall-objects';
const allow = (more: Partial<Statement> = {}): Statement => ({
  Effect: 'Allow',
  Action: ['dynamodb:GetItem', 'dynamodb:PutItem'],
  Resource: TABLE,
  ...more,
});
const put = { action: 'dynamodb:PutItem', resource: TABLE };
const keys = (...values: readonly string[]) => ({ ...put, keys: { 'dynamodb:leadingkeys': values } });
const leading = (operator: string, ...patterns: readonly string[]) =>
  allow({ Condition: { [operator]: { 'dynamodb:LeadingKeys': patterns } } });

describe('a role', () => {
  it.each([
    ['its action on its resource', [allow()], put, true],
    ['nothing without a statement', [], put, false],
    ['no other action', [allow()], { ...put, action: 'dynamodb:DeleteItem' }, false],
    ['no other resource', [allow()], { ...put, resource: `${TABLE}2` }, false],
    ['no index by the right on its table', [allow()], { ...put, resource: `${TABLE}/index/by-node` }, false],
    [
      'what a pattern covers',
      [allow({ Resource: `${TABLE}/*` })],
      { ...put, resource: `${TABLE}/index/x` },
      true,
    ],
    [
      'one character for each question mark',
      [allow({ Resource: TABLE.replace('objects', 'object?') })],
      put,
      true,
    ],
    ['a dot as a dot', [allow({ Resource: TABLE.replace('Rollcall', 'R.llcall') })], put, false],
    ['actions in any case', [allow({ Action: 'DynamoDB:putitem' })], put, true],
    ['resources in their own case', [allow({ Resource: TABLE.toUpperCase() })], put, false],
    ['nothing that another statement denies', [allow(), allow({ Effect: 'Deny' })], put, false],
    [
      'keys that all fit',
      [leading('ForAllValues:StringLike', 'nodes#*', 'pods#*')],
      keys('nodes#1', 'pods#2'),
      true,
    ],
    ['no key besides', [leading('ForAllValues:StringLike', 'nodes#*')], keys('nodes#1', 'pods#2'), false],
    ['a request without keys, by ForAllValues', [leading('ForAllValues:StringLike', 'nodes#*')], put, true],
    ['no request without the key, otherwise', [leading('StringLike', 'nodes#*')], put, false],
    ['a key that equals', [leading('StringEquals', 'nodes#1')], keys('nodes#1'), true],
    ['no pattern in StringEquals', [leading('StringEquals', 'nodes#*')], keys('nodes#1'), false],
    [
      'one of several conditions is not enough',
      [allow({ Condition: { StringEquals: { a: 'x', b: 'y' } } })],
      { ...put, keys: { a: ['x'] } },
      false,
    ],
  ] as const)('is allowed %s', (_, statements, call, expected) => {
    expect(isAllowed(statements, call)).toBe(expected);
  });

  it('is not judged by an operator or an element that the guard does not know', () => {
    expect(() => isAllowed([leading('StringNotEquals', 'x')], keys('y'))).toThrow('StringNotEquals');
    expect(() => checkStatement({ ...allow(), NotAction: 'x' })).toThrow('NotAction');
    expect(checkStatement(allow())).toEqual(allow());
  });
});
