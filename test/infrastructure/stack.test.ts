import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { KeptState } from '../../cdk/kept-state.ts';
import { TABLES } from '../../shared/adapters/dynamodb/schema.ts';
import {
  type Assembly,
  environmentOf,
  functionsByFolder,
  ofType,
  type Resource,
  type Statement,
  synth,
  target,
} from './assembly.ts';

/** What LocalStack's free edition has, and the stack may therefore use. */
const SERVICES = [
  'AWS::CDK::',
  'AWS::CloudWatch::',
  'AWS::DynamoDB::Table',
  'AWS::Events::EventBus',
  'AWS::Events::Rule',
  'AWS::IAM::',
  'AWS::Lambda::',
  'AWS::Logs::LogGroup',
  'AWS::SecretsManager::Secret',
  'AWS::SQS::',
];

/** Actions that know no resource. */
const UNSCOPED = new Set(['xray:PutTraceSegments', 'xray:PutTelemetryRecords', 'dynamodb:ListStreams']);

let assembly: Assembly;

beforeAll(() => {
  assembly = synth();
});

const property = <T>({ Properties }: Resource, name: string): T => Properties[name] as T;

const alarms = (given = assembly) =>
  ofType(given, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => ({
    description: String(Properties['AlarmDescription']),
    actions: Properties['AlarmActions'],
    dimensions: (Properties['Dimensions'] ?? []) as readonly { readonly Value: unknown }[],
  }));

const sectionOf = (description: string): string =>
  /docs\/runbook\.md#([-a-z]+)$/.exec(description)?.[1] ?? '';

describe('queues', () => {
  const queues = () => ofType(assembly, 'AWS::SQS::Queue');
  const redrive = ([, resource]: readonly [string, Resource]) =>
    property<{ deadLetterTargetArn: unknown; maxReceiveCount: number } | undefined>(
      resource,
      'RedrivePolicy',
    );
  const work = () => queues().filter((queue) => redrive(queue));

  it('each have a dead-letter queue of their own, after five deliveries', () => {
    const dead = work().map((queue) => target(redrive(queue)?.deadLetterTargetArn));
    expect(new Set(dead).size).toBe(4);
    expect(work()).toHaveLength(queues().length / 2);
    expect(work().map((queue) => redrive(queue)?.maxReceiveCount)).toEqual([5, 5, 5, 5]);
  });

  it('have an alarm on each dead-letter queue', () => {
    const watched = new Set(
      alarms().flatMap(({ dimensions }) => dimensions.map(({ Value }) => target(Value))),
    );
    expect(work().filter((queue) => !watched.has(target(redrive(queue)?.deadLetterTargetArn)))).toEqual([]);
  });

  it('hide a message for six times as long as its function may run', () => {
    for (const [id, queue] of work()) {
      const [, mapping] =
        sources().find(([, source]) => target(source.Properties['EventSourceArn']) === id) ?? [];
      const fn = assembly.resources[target(mapping?.Properties['FunctionName'])];
      expect(property(queue, 'VisibilityTimeout'), id).toBe(6 * Number(fn?.Properties['Timeout']));
    }
  });

  it('keep messages for two weeks and take them over TLS only', () => {
    for (const [, queue] of queues()) expect(property(queue, 'MessageRetentionPeriod')).toBe(1_209_600);
    expect(ofType(assembly, 'AWS::SQS::QueuePolicy')).toHaveLength(queues().length);
  });
});

const sources = (given = assembly) => ofType(given, 'AWS::Lambda::EventSourceMapping');

describe('event sources', () => {
  it('take failed messages back one by one', () => {
    const ofQueues = sources().filter(([, { Properties }]) => Properties['StartingPosition'] === undefined);
    expect(ofQueues).toHaveLength(4);
    for (const [, { Properties }] of ofQueues) {
      expect(Properties['FunctionResponseTypes']).toEqual(['ReportBatchItemFailures']);
    }
  });

  it('read the stream from its beginning, for as long as it takes', () => {
    const [stream] = sources().filter(([, { Properties }]) => Properties['StartingPosition'] !== undefined);
    expect(stream?.[1].Properties).toMatchObject({ StartingPosition: 'TRIM_HORIZON' });
    expect(stream?.[1].Properties).not.toHaveProperty('MaximumRetryAttempts');
  });
});

describe('tables', () => {
  const tables = (given = assembly) => ofType(given, 'AWS::DynamoDB::Table').map(([, resource]) => resource);

  it('are those of the schema, billed by request', () => {
    const found = tables().map(({ Properties }) => ({
      keys: (Properties['KeySchema'] as readonly { AttributeName: string }[]).map(
        ({ AttributeName }) => AttributeName,
      ),
      ttl: (Properties['TimeToLiveSpecification'] as { AttributeName: string }).AttributeName,
      stream: (Properties['StreamSpecification'] as { StreamViewType: string } | undefined)?.StreamViewType,
      indexes: ((Properties['GlobalSecondaryIndexes'] ?? []) as readonly { IndexName: string }[]).map(
        ({ IndexName }) => IndexName,
      ),
      billing: Properties['BillingMode'],
    }));
    const wanted = Object.values(TABLES).map((table) => ({
      keys: [table.partitionKey, table.sortKey].flatMap((key) => key?.name ?? []),
      ttl: table.ttl,
      stream: table.stream,
      indexes: table.indexes.map(({ name }) => name),
      billing: 'PAY_PER_REQUEST',
    }));
    expect(found).toEqual(wanted);
  });

  it('outlive the stack, guarded against deletion and restorable but for the log', () => {
    for (const table of tables()) {
      expect(table.DeletionPolicy).toBe('Retain');
      expect(property(table, 'DeletionProtectionEnabled')).toBe(true);
    }
    expect(tables().filter(({ Properties }) => Properties['PointInTimeRecoverySpecification'])).toHaveLength(
      3,
    );
    expect(ofType(assembly, 'AWS::SecretsManager::Secret')[0]?.[1].DeletionPolicy).toBe('Retain');
  });

  it('and the key are used as an earlier stack left them', () => {
    const arn = (name: string) => `arn:aws:dynamodb:eu-west-1:111122223333:table/Rollcall-${name}`;
    const table = (name: string) => ({ tableArn: arn(name), tableStreamArn: `${arn(name)}/stream/1` });
    const secret = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:Rollcall-signing-key-AbCdEf';
    const named = ['objects', 'changes', 'heartbeats', 'control'] as const;
    const entries = named.map((name) => [name, table(name)] as const);
    const kept = { tables: Object.fromEntries(entries) as KeptState['tables'], signingKeyArn: secret };
    const again = synth({ state: 'kept' }, kept);
    expect(tables(again)).toEqual([]);
    expect(ofType(again, 'AWS::SecretsManager::Secret')).toEqual([]);
    const text = JSON.stringify(again.resources);
    for (const name of named) expect(text).toContain(`${arn(name)}"`);
    expect(text).toContain(`${arn('objects')}/stream/1`);
    expect(text).toContain(secret);
    expect(again.findings).toEqual([]);
  });

  it('go with the stack when the settings say so', () => {
    const destroyed = synth({ removalPolicy: 'destroy' });
    for (const table of tables(destroyed)) {
      expect(table.DeletionPolicy).toBe('Delete');
      expect(property(table, 'DeletionProtectionEnabled')).toBe(false);
    }
    expect(ofType(destroyed, 'AWS::SecretsManager::Secret')[0]?.[1].DeletionPolicy).toBe('Delete');
  });
});

describe('logs', () => {
  const policies = (given = assembly) =>
    ofType(given, 'AWS::Logs::LogGroup').map(([, { DeletionPolicy }]) => DeletionPolicy);

  it('are kept with the stack, or go with it', () => {
    expect(new Set(policies())).toEqual(new Set(['Retain']));
    expect(new Set(policies(synth({ removalPolicy: 'destroy' })))).toEqual(new Set(['Delete']));
  });
});

describe('a KMS key of the user', () => {
  const KEY = 'arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';
  /** Where each type that keeps data names its key. */
  const KEY_PROPERTY = {
    'AWS::DynamoDB::Table': 'SSESpecification',
    'AWS::Events::EventBus': 'KmsKeyIdentifier',
    'AWS::Logs::LogGroup': 'KmsKeyId',
    'AWS::SecretsManager::Secret': 'KmsKeyId',
    'AWS::SQS::Queue': 'KmsMasterKeyId',
  };
  const encrypted = synth({ kmsKeyArn: KEY });

  it.each(Object.entries(KEY_PROPERTY))('encrypts every %s', (type, name) => {
    const found = ofType(encrypted, type).map(([, { Properties }]) => JSON.stringify(Properties[name]));
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((value) => !value?.includes(KEY))).toEqual([]);
    expect(ofType(assembly, type).filter(([, { Properties }]) => Properties?.[name])).toEqual([]);
  });

  it('may be used by every function, for what it names', () => {
    const policies = ofType(encrypted, 'AWS::IAM::Policy').map(([, { Properties }]) =>
      JSON.stringify(Properties['PolicyDocument']),
    );
    expect(policies).toHaveLength(ofType(encrypted, 'AWS::Lambda::Function').length);
    expect(policies.filter((policy) => !policy.includes(KEY) || policy.includes('kms:*'))).toEqual([]);
    expect(encrypted.findings).toEqual([]);
  });
});

describe('permissions', () => {
  const statements = (): readonly Statement[] =>
    ofType(assembly, 'AWS::IAM::Policy').flatMap(([, { Properties }]) => {
      const { Statement } = Properties['PolicyDocument'] as { Statement: readonly Statement[] };
      return Statement;
    });
  const actions = ({ Action }: Statement): readonly string[] => [Action].flat();

  it('name every action', () => {
    expect(
      statements()
        .flatMap(actions)
        .filter((action) => action.includes('*')),
    ).toEqual([]);
  });

  it('name every resource, but for actions that know none', () => {
    const open = statements().filter(({ Resource }) => JSON.stringify(Resource).includes('*'));
    expect(open.flatMap(actions).filter((action) => !UNSCOPED.has(action))).toEqual([]);
  });

  it('come from no managed policy', () => {
    const roles = ofType(assembly, 'AWS::IAM::Role');
    expect(roles.filter(([, { Properties }]) => Properties['ManagedPolicyArns'])).toEqual([]);
  });
});

describe('alarms', () => {
  const headings = (): readonly string[] =>
    [...readFileSync('docs/runbook.md', 'utf8').matchAll(/^### (.+)$/gm)].map(([, heading = '']) => heading);

  it('each lead to a section of the runbook, and each section is led to', () => {
    expect(headings().toSorted()).toEqual(
      alarms()
        .map(({ description }) => sectionOf(description))
        .toSorted(),
    );
  });

  it('watch the fleet first, by metrics that its functions write', () => {
    const [dashboard] = ofType(assembly, 'AWS::CloudWatch::Dashboard');
    const body = JSON.stringify(dashboard?.[1].Properties['DashboardBody']);
    const at = [
      'silent_nodes',
      'disrupted_zones',
      'nodes_waiting_for_eviction',
      'oldest_overdue_deadline_seconds',
    ].map((name) => body.indexOf(name));
    expect(at.filter((index) => index < 0 || index > body.indexOf('invocations'))).toEqual([]);
    const namespaces = ofType(assembly, 'AWS::CloudWatch::Alarm').map(
      ([, { Properties }]) => Properties['Namespace'],
    );
    expect(namespaces.filter((namespace) => namespace === 'Rollcall')).toHaveLength(4);
    for (const fn of functionsByFolder(assembly).values())
      expect(environmentOf(fn)['POWERTOOLS_METRICS_NAMESPACE']).toBe('Rollcall');
  });

  it('tell a topic, when there is one', () => {
    const alarmTopicArn = 'arn:aws:sns:eu-west-1:111122223333:oncall';
    for (const { actions } of alarms(synth({ alarmTopicArn }))) expect(actions).toEqual([alarmTopicArn]);
    for (const { actions } of alarms()) expect(actions).toBeUndefined();
  });
});

describe('the stack', () => {
  it("uses only what LocalStack's free edition has", () => {
    const types = Object.values(assembly.resources).map(({ Type }) => Type);
    expect(types.filter((type) => !SERVICES.some((service) => type.startsWith(service)))).toEqual([]);
  });

  it('satisfies cdk-nag, or says at the construct why not', () => {
    expect(assembly.findings).toEqual([]);
  });

  it('gives names that begin with its own, so that two clusters fit into one account', () => {
    const named = [
      'TableName',
      'QueueName',
      'FunctionName',
      'AlarmName',
      'RoleName',
      'LogGroupName',
      'DashboardName',
    ];
    const isSource = (type: string): boolean =>
      ['AWS::Lambda::EventSourceMapping', 'AWS::Lambda::Permission'].includes(type);
    const names = Object.values(assembly.resources)
      .filter(({ Type }) => !isSource(Type))
      .flatMap(({ Properties }) => named.flatMap((name) => Properties?.[name] ?? []))
      .map((name) => JSON.stringify(name));
    // Four tables, four queues and their dead letters; what nobody has to find has a generated name.
    expect(names).toHaveLength(12);
    expect(names.filter((name) => !name.startsWith('"Rollcall-'))).toEqual([]);
  });

  it('has few outputs, and its two addresses come first where they are sorted', () => {
    expect(Object.keys(assembly.outputs).toSorted()).toEqual([
      'ApiUrl',
      'HeartbeatUrl',
      'LifecycleEventBusName',
      'SigningKeySecretArn',
      'TokenCommand',
      'TokenIssuer',
    ]);
  });
});

describe('controllers: none', () => {
  it('stops every queue, stream and rule, and the step from conditions to taints', () => {
    const bare = synth({ controllers: 'none' });
    expect(sources(bare).map(([, { Properties }]) => Properties['Enabled'])).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
    const rules = ofType(bare, 'AWS::Events::Rule').map(([, { Properties }]) => Properties['State']);
    expect(rules).toEqual(['DISABLED', 'DISABLED', 'DISABLED']);
    expect(JSON.stringify(bare.resources)).toContain('"CONDITION_TAINTS":"off"');
    expect(alarms(bare).map(({ description }) => sectionOf(description))).not.toContain(
      'node-monitor-silent',
    );
  });
});
