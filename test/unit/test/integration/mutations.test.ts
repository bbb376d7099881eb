import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleOptions } from '../../../../cdk/bundling/function-code.ts';
import type { EventRecorder } from '../../../../shared/ports/process/event-recorder.ts';
import { isFound, MUTATIONS, type Mutation, mutate } from '../../../integration/mutations.ts';

const LEADING_KEYS = 'dynamodb:LeadingKeys';

const mutation = (name: string): Mutation => {
  const found = MUTATIONS[name];
  if (!found) throw new Error(`no mutation ${name}`);
  return found;
};

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-mutations-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A function with code `asset.<folder>` and a role with statements. */
const resourcesOf = (name: string, Statement: readonly object[]): object => ({
  Function: {
    Type: 'AWS::Lambda::Function',
    Properties: {
      Description: `Rollcall: ${name}`,
      Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
      Code: { S3Key: `${name}.zip` },
      RecursiveLoop: 'Allow',
    },
  },
  Policy: {
    Type: 'AWS::IAM::Policy',
    Properties: { Roles: [{ Ref: 'Role' }], PolicyDocument: { Statement } },
  },
});

const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));

/** The resources of such a function, without what the mutation takes away. */
const mutated = (of: string, functionName: string, statements: readonly object[] = []) => {
  writeFileSync(
    join(folder, 'S.template.json'),
    JSON.stringify({ Resources: resourcesOf(functionName, statements) }),
  );
  mutate(folder, 'S', mutation(of));
  const { Function: function_, Policy } = read('S.template.json').Resources;
  return { properties: function_.Properties, statements: Policy.Properties.PolicyDocument.Statement };
};

const allowing = (Action: string | readonly string[]) => ({ Effect: 'Allow', Action, Resource: '*' });

const keyed = (keys: string | readonly string[]) => ({
  ...allowing('dynamodb:UpdateItem'),
  Condition: { 'ForAllValues:StringLike': { [LEADING_KEYS]: keys } },
});

describe('a mutation of the template takes away', () => {
  it('one action of all statements', () => {
    const given = [allowing(['dynamodb:GetItem', 'dynamodb:UpdateItem']), allowing('sqs:SendMessage')];
    const { statements } = mutated('grant', 'node-eviction', given);
    expect(statements.map(({ Action }: { Action: unknown }) => Action)).toEqual([
      ['dynamodb:GetItem'],
      'sqs:SendMessage',
    ]);
  });

  it('the setting RecursiveLoop', () => {
    expect(mutated('recursive-loop', 'node-eviction').properties).not.toHaveProperty('RecursiveLoop');
  });

  it.each([
    [['counter#leases', 'key-use#*'], ['key-use#*']],
    [['counter#leases'], 'nothing'],
    ['counter#leases', 'nothing'],
  ])('one leading key, of %j', (keys, left) => {
    const { statements } = mutated('leading-key', 'heartbeat', [allowing('sqs:SendMessage'), keyed(keys)]);
    expect(statements).toEqual([allowing('sqs:SendMessage'), keyed(left)]);
  });

  it.each(['grant', 'recursive-loop', 'leading-key', 'idempotency'])('nothing without a word: %s', (name) => {
    expect(() => mutated(name, 'another-function')).toThrow('nothing that the mutation could take away');
  });
});

describe('the mutation of idempotency', () => {
  const asset = (name: string) => ({
    source: { path: `asset.${name}`, packaging: 'zip' },
    destinations: { here: { objectKey: `${name}.zip` } },
  });
  const [NAME, COPY] = ['change-router', 'change-router-mutated'];

  /** The names of the Events that a recorder of this code makes of one occasion that is told twice. */
  const namesBy = async (code: string): Promise<readonly string[]> => {
    const { createEventRecorder } = await import(pathToFileURL(join(folder, code, 'index.mjs')).href);
    const names: string[] = [];
    const writer = { write: async ({ name }: { name: string }) => void names.push(name) };
    const recorder: EventRecorder = createEventRecorder({ writer });
    for (const _delivery of [1, 2])
      await recorder.record(
        { kind: 'Node', namespace: '', name: 'n', uid: 'u' },
        { type: 'Normal', reason: 'RegisteredNode', message: '', component: '' },
        'registered',
      );
    return names;
  };

  it('lets a copy of the bundle, of another name, tell an occasion again', async () => {
    const original = `asset.${NAME}`;
    mkdirSync(join(folder, original));
    buildSync(bundleOptions('shared/store/events/event-recorder.ts', join(folder, original)));
    writeFileSync(join(folder, 'S.assets.json'), JSON.stringify({ files: { [NAME]: asset(NAME) } }));
    // What CDK packed in an earlier run.
    mkdirSync(join(folder, '.cache'));
    for (const name of [NAME, COPY]) writeFileSync(join(folder, '.cache', `${name}.zip`), '');
    expect(mutated('idempotency', NAME).properties.Code).toEqual({ S3Key: `${COPY}.zip` });
    expect(read('S.assets.json').files).toEqual({ [NAME]: asset(NAME), [COPY]: asset(COPY) });
    expect(readdirSync(join(folder, '.cache'))).toEqual([`${NAME}.zip`]);
    expect(new Set(await namesBy(original)).size).toBe(1);
    expect(new Set(await namesBy(`asset.${COPY}`)).size).toBe(2);
  });
});

describe('a mutation is found', () => {
  const REFUSED = 'Rollcall-x calls dynamodb:UpdateItem on arn:aws:dynamodb:::table/t: no policy allows it';

  const isFoundIn = (name: string, failureMessages: readonly string[], refusals: readonly string[] = []) => {
    const file = join(folder, 'failures.json');
    const testResults = [{ message: '', assertionResults: [{ failureMessages }] }];
    writeFileSync(file, JSON.stringify({ testResults }));
    return isFound(mutation(name), file, refusals);
  };

  it.each([
    ['grant', [], [REFUSED]],
    ['leading-key', [], [REFUSED]],
    ['recursive-loop', ['all 40 nodes are tainted: not within 200000 ms'], []],
    ['idempotency', ['AssertionError: RegisteredNode: expected [ 2, 1 ] to deeply equal [ 1, 1 ]'], []],
  ])('%s by its own symptom', (name, failures, refusals) => {
    expect(isFoundIn(name, failures, refusals)).toBe(true);
  });

  it.each(Object.keys(MUTATIONS))('%s not by a failure of another kind', (name) => {
    expect(isFoundIn(name, ['POST /api/v1/nodes answered 504: Timeout'])).toBe(false);
  });
});
