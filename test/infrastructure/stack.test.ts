import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { KeptState } from '../../cdk/constructs/kept-state.ts';
import { CONTROLLER_QUEUES, SCHEDULE_NAMES } from '../../lambdas/controllers.ts';
import { GROUP_NAMES } from '../../lambdas/groups.ts';
import { TABLES } from '../../shared/adapters/dynamodb/table/schema.ts';
import type { GroupQueue } from '../../shared/settings/aws/controller-env.ts';
import {
  type Assembly,
  environmentOf,
  functionsByName,
  ofType,
  type Resource,
  type Statement,
  synth,
  target,
  WITH_CAPACITY,
  WITH_SINK,
} from './assembly.ts';

/** Resource types that LocalStack's free edition supports. The stack may use only these. */
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

/** Actions that do not support resource-level permissions. */
const UNSCOPED = new Set(['dynamodb:ListStreams']);

/** The groups that exist without settings. */
const DEFAULT_GROUPS = GROUP_NAMES.filter((name) => name !== 'cloud');

interface RuleTarget {
  readonly Arn: unknown;
  readonly Input?: string;
  readonly DeadLetterConfig: { readonly Arn: unknown };
  readonly RetryPolicy: unknown;
}

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

  it('are one for each group of controllers, and all have the same dead-letter queue after five deliveries', () => {
    const names = work().map((queue) => property<string>(queue[1], 'QueueName'));
    expect(names.toSorted()).toEqual(DEFAULT_GROUPS.map((name) => `Rollcall-${name}`).toSorted());
    const dead = new Set(work().map((queue) => target(redrive(queue)?.deadLetterTargetArn)));
    expect([...dead].map((id) => assembly.resources[id]?.Properties['QueueName'])).toEqual([
      'Rollcall-dead-letters',
    ]);
    expect(queues()).toHaveLength(work().length + 1);
    expect(new Set(work().map((queue) => redrive(queue)?.maxReceiveCount))).toEqual(new Set([5]));
  });

  it('keep the id of the one whose name an earlier release has used: CloudFormation makes a queue before it deletes one', () => {
    const ids = queues().flatMap(([id, queue]) =>
      property(queue, 'QueueName') === 'Rollcall-scheduler' ? [id] : [],
    );
    expect(ids).toEqual(['SchedulerWorkQueue5D96EAD8']);
  });

  it('serve all controllers, and each function knows those that it may send to', () => {
    const routes = [...functionsByName(assembly).values()]
      .map((fn) => environmentOf(fn)['WORK_QUEUES'])
      .filter((text) => text !== undefined)
      .map((text): readonly GroupQueue[] => JSON.parse(text));
    // The router and the groups.
    expect(routes).toHaveLength(DEFAULT_GROUPS.length + 1);
    const absent = ['cloud-node', 'volume-attacher'];
    for (const groups of routes)
      expect(groups.flatMap((group) => group.queues).toSorted()).toEqual(
        CONTROLLER_QUEUES.filter((name) => !absent.includes(name)).toSorted(),
      );
    const sendable = (name: string) => {
      const fn = functionsByName(assembly).get(name);
      const groups: readonly GroupQueue[] = JSON.parse((fn && environmentOf(fn)['WORK_QUEUES']) ?? '[]');
      return groups.filter(({ url }) => url !== undefined).map((group) => group.queues[0]);
    };
    expect(sendable('scheduler')).toEqual(['scheduler']);
    expect(sendable('node-monitor')).toEqual(['node-monitor-ticks', 'eviction-wakeups']);
    expect(sendable('pods')).toEqual(['taint-eviction', 'scheduler']);
    // A Node that is created becomes a tick, and nothing that changes becomes a wake-up.
    expect(sendable('change-router')).toEqual([
      'node-monitor-ticks',
      'taint-eviction',
      'replica-set',
      'scheduler',
      'volume-binder',
    ]);
  });

  it('have a visibility time-out of six times the time-out of the function', () => {
    for (const [id, queue] of work()) {
      const [, mapping] =
        sources().find(([, source]) => target(source.Properties['EventSourceArn']) === id) ?? [];
      const fn = assembly.resources[target(mapping?.Properties['FunctionName'])];
      expect(property(queue, 'VisibilityTimeout'), id).toBe(6 * Number(fn?.Properties['Timeout']));
    }
  });

  it('keep messages for two weeks and accept them over TLS only', () => {
    for (const [, queue] of queues()) expect(property(queue, 'MessageRetentionPeriod')).toBe(1_209_600);
    expect(ofType(assembly, 'AWS::SQS::QueuePolicy')).toHaveLength(queues().length);
  });
});

const sources = (given = assembly) => ofType(given, 'AWS::Lambda::EventSourceMapping');

describe('scheduled runs', () => {
  const rules = () => ofType(assembly, 'AWS::Events::Rule');
  const targets = () =>
    rules().flatMap(([, { Properties }]) => Properties['Targets'] as readonly RuleTarget[]);
  const configs = () => ofType(assembly, 'AWS::Lambda::EventInvokeConfig').map(([, one]) => one.Properties);
  const deadLetters = () =>
    ofType(assembly, 'AWS::SQS::Queue').flatMap(([id, { Properties }]) =>
      Properties['QueueName'] === 'Rollcall-dead-letters' ? [id] : [],
    );

  it('are tried twice within two minutes, as a later run follows', () => {
    const invoked = [...new Set(targets().map(({ Arn }) => target(Arn)))];
    expect(
      configs()
        .map(({ FunctionName }) => target(FunctionName))
        .toSorted(),
    ).toEqual(invoked.toSorted());
    for (const config of configs())
      expect(config).toMatchObject({ MaximumRetryAttempts: 1, MaximumEventAgeInSeconds: 120 });
    for (const { RetryPolicy } of targets())
      expect(RetryPolicy).toEqual({ MaximumRetryAttempts: 1, MaximumEventAgeInSeconds: 120 });
  });

  it('that fail end in the dead-letter queue, which has an alarm', () => {
    const [queue] = deadLetters();
    const failed = configs().map(({ DestinationConfig }) => {
      const { OnFailure } = DestinationConfig as { OnFailure: { Destination: unknown } };
      return target(OnFailure.Destination);
    });
    const late = targets().map(({ DeadLetterConfig }) => target(DeadLetterConfig.Arn));
    expect(new Set([...failed, ...late])).toEqual(new Set([queue]));
    const watched = alarms().flatMap(({ dimensions }) => dimensions.map(({ Value }) => target(Value)));
    expect(watched).toContain(queue);
  });

  it('say which they are to a group, and are those of the controllers that have something to do', () => {
    const named: readonly { readonly schedule?: string }[] = targets().flatMap(({ Input }) =>
      Input === undefined ? [] : [JSON.parse(Input)],
    );
    // Without ranges nothing is swept for addresses, and without a cloud nothing for machines and their disks.
    const idle = ['addressSweep', 'cloud-node-sweep', 'volume-attacher-sweep'];
    expect(named.flatMap(({ schedule }) => schedule ?? []).toSorted()).toEqual(
      SCHEDULE_NAMES.filter((name) => !idle.includes(name)).toSorted(),
    );
    expect(named.filter(({ schedule }) => schedule === undefined)).toEqual([
      { message: { queue: 'garbage', body: { v: 1, kind: 'sweep', isFirst: true } } },
    ]);
  });
});

describe('X-Ray', () => {
  const traced = (given: Assembly) =>
    ofType(given, 'AWS::Lambda::Function').filter(([, { Properties }]) => Properties['TracingConfig']);

  it('traces nothing, and no role has rights for it', () => {
    expect(traced(assembly)).toEqual([]);
    expect(JSON.stringify(assembly.resources)).not.toMatch(/xray|TracingConfig/i);
  });

  it('traces all functions if the settings say so', () => {
    const active = synth({ tracing: 'active' });
    const functions = ofType(active, 'AWS::Lambda::Function');
    expect(traced(active)).toHaveLength(functions.length);
    for (const [, { Properties }] of functions)
      expect(Properties['TracingConfig']).toEqual({ Mode: 'Active' });
    expect(JSON.stringify(active.resources).split('xray:PutTraceSegments')).toHaveLength(
      functions.length + 1,
    );
    expect(active.findings).toEqual([]);
  });
});

describe('event sources', () => {
  it('report failed messages individually', () => {
    const ofQueues = sources().filter(([, { Properties }]) => Properties['StartingPosition'] === undefined);
    expect(ofQueues).toHaveLength(DEFAULT_GROUPS.length);
    for (const [, { Properties }] of ofQueues) {
      expect(Properties['FunctionResponseTypes']).toEqual(['ReportBatchItemFailures']);
    }
  });

  it('read the stream from its beginning and retry without limit', () => {
    const [stream] = sources().filter(([, { Properties }]) => Properties['StartingPosition'] !== undefined);
    expect(stream?.[1].Properties).toMatchObject({ StartingPosition: 'TRIM_HORIZON' });
    expect(stream?.[1].Properties).not.toHaveProperty('MaximumRetryAttempts');
  });
});

describe('tables', () => {
  const tables = (given = assembly) => ofType(given, 'AWS::DynamoDB::Table').map(([, resource]) => resource);

  it('are those of the schema, with on-demand billing', () => {
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

  it('of heartbeats has the capacity that is set, which follows what is used, and an alarm', () => {
    const provisioned = synth({ heartbeatCapacity: '1000', heartbeatInterval: '15s' });
    const byName = (name: string) =>
      tables(provisioned).find((table) => property(table, 'TableName') === name);
    expect(byName('Rollcall-heartbeats')?.Properties).toMatchObject({
      ProvisionedThroughput: { WriteCapacityUnits: 100, ReadCapacityUnits: 13 },
    });
    expect(property(byName('Rollcall-objects') ?? { Type: '', Properties: {} }, 'BillingMode')).toBe(
      'PAY_PER_REQUEST',
    );
    const targets = ofType(provisioned, 'AWS::ApplicationAutoScaling::ScalableTarget');
    expect(
      targets.map(([, { Properties }]) => [Properties['MinCapacity'], Properties['MaxCapacity']]),
    ).toEqual([
      [100, 1_000],
      [13, 130],
    ]);
    const policies = ofType(provisioned, 'AWS::ApplicationAutoScaling::ScalingPolicy');
    for (const [, { Properties }] of policies)
      expect(Properties['TargetTrackingScalingPolicyConfiguration']).toMatchObject({ TargetValue: 67 });
    expect(policies).toHaveLength(2);
    const sections = alarms(provisioned).map(({ description }) => sectionOf(description));
    expect(sections).toContain('heartbeats-table-throttled');
    expect(provisioned.outputs['HeartbeatCapacity']).toMatchObject({ Value: '1000 nodes, each 15 s' });
    expect(provisioned.findings).toEqual([]);
  });

  it('outlive the stack, are protected against deletion and, except the change log, can be restored', () => {
    for (const table of tables()) {
      expect(table.DeletionPolicy).toBe('Retain');
      expect(property(table, 'DeletionProtectionEnabled')).toBe(true);
    }
    expect(tables().filter(({ Properties }) => Properties['PointInTimeRecoverySpecification'])).toHaveLength(
      3,
    );
    expect(ofType(assembly, 'AWS::SecretsManager::Secret')[0]?.[1].DeletionPolicy).toBe('Retain');
  });

  it('are reused from an earlier stack, and so is its key', () => {
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

  it('are deleted with the stack if the settings say so', () => {
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

  it('outlive the stack or are deleted with it, like the tables', () => {
    expect(new Set(policies())).toEqual(new Set(['Retain']));
    expect(new Set(policies(synth({ removalPolicy: 'destroy' })))).toEqual(new Set(['Delete']));
  });
});

describe('a KMS key of the user', () => {
  const KEY = 'arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';
  /** The property that names the key, for each resource type that stores data. */
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

  it('may be used by every function, for the listed actions only', () => {
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

  it('name every resource, except for actions that do not support one', () => {
    const open = statements().filter(({ Resource }) => JSON.stringify(Resource).includes('*'));
    expect(open.flatMap(actions).filter((action) => !UNSCOPED.has(action))).toEqual([]);
  });

  it('do not come from a managed policy', () => {
    const roles = ofType(assembly, 'AWS::IAM::Role');
    expect(roles.filter(([, { Properties }]) => Properties['ManagedPolicyArns'])).toEqual([]);
  });
});

describe('alarms', () => {
  const alarm = (section: string, given = assembly) =>
    ofType(given, 'AWS::CloudWatch::Alarm').find(
      ([, { Properties }]) => sectionOf(String(Properties['AlarmDescription'])) === section,
    )?.[1].Properties;

  it('hear of a monitor whose passes do not come to their end, and of a rule that says nothing', () => {
    expect(alarm('node-monitor-silent')).toMatchObject({
      Namespace: 'Rollcall',
      MetricName: 'monitor_lag_seconds',
      Dimensions: [{ Name: 'service', Value: 'node-monitor' }],
      Statistic: 'Maximum',
      Period: 60,
      Threshold: 65,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      DatapointsToAlarm: 5,
      EvaluationPeriods: 5,
      TreatMissingData: 'breaching',
    });
    expect(alarm('node-monitor-silent', synth({ controllers: 'none' }))).toBeUndefined();
  });

  it('hear of changes that are not routed for minutes', () =>
    expect(alarm('change-router-behind')).toMatchObject({
      MetricName: 'IteratorAge',
      Statistic: 'Maximum',
      Period: 60,
      Threshold: 60_000,
      DatapointsToAlarm: 3,
      EvaluationPeriods: 5,
      TreatMissingData: 'notBreaching',
    }));

  it('are 18, and ten in the profile lifecycle, which has no dashboard either', () => {
    expect(alarms()).toHaveLength(18);
    const lifecycle = synth({ profile: 'lifecycle' });
    expect(alarms(lifecycle)).toHaveLength(10);
    for (const given of [assembly, lifecycle])
      expect(ofType(given, 'AWS::CloudWatch::Dashboard')).toEqual([]);
  });

  it.each(DEFAULT_GROUPS.slice(1))('hear of messages that no function takes from %s', (queue) => {
    const found = alarm(`${queue}-age`);
    expect(found).toMatchObject({ MetricName: 'ApproximateAgeOfOldestMessage', Statistic: 'Maximum' });
    // Above the longest delay of a message.
    expect(found?.['Threshold']).toBe(20 * 60);
  });

  const headings = (): readonly string[] =>
    [...readFileSync('docs/runbook.md', 'utf8').matchAll(/^### (.+)$/gm)].map(([, heading = '']) => heading);

  it('each link to a section of the runbook, and each section has an alarm, or is an alert of hosts', () => {
    // With these there are also the alarms of those who give Nodes podCIDRs, ask EC2 about machines, attach volumes, or send events.
    const settings = {
      clusterCidr: '10.244.0.0/16',
      cloudProvider: 'ec2',
      volumeAttacher: 'ebs',
      ...WITH_CAPACITY,
      ...WITH_SINK,
    };
    const linked = alarms(synth(settings)).map(({ description }) => sectionOf(description));
    const rules = readFileSync('monitoring/rollcall.rules.yaml', 'utf8');
    const led = new Set([...rules.matchAll(/runbook_url: \S+#(\S+)/g)].map(([, section = '']) => section));
    const onHosts = [...led].filter((section) => !linked.includes(section));
    expect(headings().toSorted()).toEqual([...linked, ...onHosts].toSorted());
  });

  it('on the fleet use metrics that the functions write', () => {
    const [dashboard] = ofType(synth({ dashboard: 'on' }), 'AWS::CloudWatch::Dashboard');
    const body = JSON.stringify(dashboard?.[1].Properties['DashboardBody']);
    const at = [
      'silent_nodes',
      'disrupted_zones',
      'silent_relays',
      'nodes_waiting_for_eviction',
      'oldest_overdue_deadline_seconds',
    ].map((name) => body.indexOf(name));
    expect(at.filter((index) => index < 0 || index > body.indexOf('invocations'))).toEqual([]);
    const namespaces = ofType(assembly, 'AWS::CloudWatch::Alarm').map(
      ([, { Properties }]) => Properties['Namespace'],
    );
    expect(namespaces.filter((namespace) => namespace === 'Rollcall')).toHaveLength(6);
    for (const fn of functionsByName(assembly).values())
      expect(environmentOf(fn)['POWERTOOLS_METRICS_NAMESPACE']).toBe('Rollcall');
  });

  it('notify the topic, if one is set', () => {
    const alarmTopicArn = 'arn:aws:sns:eu-west-1:111122223333:oncall';
    for (const { actions } of alarms(synth({ alarmTopicArn }))) expect(actions).toEqual([alarmTopicArn]);
    for (const { actions } of alarms()) expect(actions).toBeUndefined();
  });
});

describe('the stack', () => {
  it("uses only resource types of LocalStack's free edition", () => {
    const types = Object.values(assembly.resources).map(({ Type }) => Type);
    expect(types.filter((type) => !SERVICES.some((service) => type.startsWith(service)))).toEqual([]);
  });

  it('satisfies cdk-nag, or acknowledges each finding with a reason', () => {
    expect(assembly.findings).toEqual([]);
  });

  it('prefixes names with its own, so that two clusters fit into one account', () => {
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
      ['EventSourceMapping', 'EventInvokeConfig', 'Permission'].some(
        (name) => type === `AWS::Lambda::${name}`,
      );
    const names = Object.values(assembly.resources)
      .filter(({ Type }) => !isSource(Type))
      .flatMap(({ Properties }) => named.flatMap((name) => Properties?.[name] ?? []))
      .map((name) => JSON.stringify(name));
    // Tables, the queues of the groups, and the dead-letter queue. Resources that are not looked up by name have generated names.
    expect(names).toHaveLength(Object.keys(TABLES).length + 1 + DEFAULT_GROUPS.length);
    expect(names.filter((name) => !name.startsWith('"Rollcall-'))).toEqual([]);
  });

  it('has few outputs, and its two URLs sort first', () => {
    expect(Object.keys(assembly.outputs).toSorted()).toEqual([
      'ApiUrl',
      'HeartbeatUrl',
      'LifecycleEventBusName',
      'RouterName',
      'SigningKeySecretArn',
      'StateGeneration',
      'TokenCommand',
      'TokenIssuer',
    ]);
  });
});

/** The properties of the rules of a construct. */
const rulesOf = (settings: Readonly<Record<string, unknown>>, construct: string) =>
  ofType(synth(settings), 'AWS::Events::Rule')
    .filter(([id]) => id.startsWith(construct))
    .map(([, { Properties }]) => Properties);

/** The schedules that rules run. */
const schedulesOf = (settings: Readonly<Record<string, unknown>>): readonly string[] =>
  ofType(synth(settings), 'AWS::Events::Rule').flatMap(([, { Properties }]) =>
    (Properties['Targets'] as readonly RuleTarget[]).flatMap(
      ({ Input }) => JSON.parse(Input ?? '{}').schedule ?? [],
    ),
  );

describe('node-ipam', () => {
  const variables = (settings: Readonly<Record<string, unknown>>): ReadonlySet<string | undefined> => {
    const functions = functionsByName(synth(settings));
    return new Set(
      ['apiserver', 'pods']
        .map((folder) => functions.get(folder))
        .map((fn) => fn && environmentOf(fn)['NODE_IPAM']),
    );
  };
  const isSwept = (settings: Readonly<Record<string, unknown>>): boolean =>
    schedulesOf(settings).includes('addressSweep');

  it('is off by default: it is not swept, and its functions know no ranges', () => {
    expect(variables({})).toEqual(new Set(['off']));
    expect(isSwept({})).toBe(false);
  });

  it('is on with a cluster CIDR: the API and its own function know the ranges', () => {
    const settings = { clusterCidr: '10.244.0.0/16' };
    const ranges = { clusterCidrs: ['10.244.0.0/16'], nodeMasks: [24], serviceRanges: [] };
    expect(variables(settings)).toEqual(new Set([JSON.stringify(ranges)]));
    expect(isSwept(settings)).toBe(true);
  });
});

describe('cloud-node', () => {
  const cloudOf = (settings: Readonly<Record<string, unknown>>) => {
    const assembled = synth(settings);
    const fn = functionsByName(assembled).get('cloud');
    const policies = ofType(assembled, 'AWS::IAM::Policy').filter(([id]) => id.startsWith('CloudFunction'));
    const actions = JSON.stringify(policies).match(/"(ec2|autoscaling|secretsmanager):\w+"/g) ?? [];
    return { variable: fn && environmentOf(fn)['CLOUD'], actions: actions.toSorted() };
  };

  it('is not there by default: it asks nobody, and hears nothing', () => {
    expect(cloudOf({})).toEqual({ variable: undefined, actions: [] });
    expect(rulesOf({}, 'Cloud')).toEqual([]);
  });

  it('with EC2 may describe instances, and hears what EC2, its groups and AWS Health say', () => {
    const settings = { cloudProvider: 'ec2' };
    expect(cloudOf(settings)).toEqual({
      variable: '{"provider":"ec2"}',
      actions: [
        '"autoscaling:CompleteLifecycleAction"',
        '"autoscaling:RecordLifecycleActionHeartbeat"',
        '"ec2:DescribeInstances"',
      ],
    });
    const sources = rulesOf(settings, 'Cloud').flatMap(
      ({ EventPattern }) => (EventPattern as { source?: readonly string[] } | undefined)?.source ?? [],
    );
    expect(sources.toSorted()).toEqual(['aws.autoscaling', 'aws.ec2', 'aws.ec2', 'aws.ec2', 'aws.health']);
  });

  it('with a webhook may read its token, and nothing of EC2', () => {
    const secret = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:hooks-AbCdEf';
    const settings = { cloudProvider: 'webhook', cloudProviderUrl: 'https://cmdb.example/machines' };
    expect(cloudOf({ ...settings, webhookTokenSecretArn: secret })).toEqual({
      variable: '{"provider":"webhook","url":"https://cmdb.example/machines"}',
      actions: ['"secretsmanager:GetSecretValue"'],
    });
  });
});

describe('volume-attacher', () => {
  const attacherOf = (settings: Readonly<Record<string, unknown>>) => {
    const assembled = synth(settings);
    const fn = functionsByName(assembled).get('cloud');
    const policies = ofType(assembled, 'AWS::IAM::Policy').filter(([id]) => id.startsWith('CloudFunction'));
    const actions = JSON.stringify(policies).match(/"ec2:\w+"/g) ?? [];
    return { variable: fn && environmentOf(fn)['VOLUME_ATTACHER'], actions: actions.toSorted() };
  };

  it('is not there by default, and with a cloud alone may do nothing to volumes', () => {
    expect(attacherOf({})).toEqual({ variable: undefined, actions: [] });
    expect(attacherOf({ outOfServicePolicy: 'proven' })).toEqual({ variable: 'none', actions: [] });
    expect(schedulesOf({ outOfServicePolicy: 'proven' })).not.toContain('volume-attacher-sweep');
  });

  it('with EBS may attach and detach, and look', () => {
    const settings = { volumeAttacher: 'ebs' };
    expect(attacherOf(settings)).toEqual({
      variable: 'ebs',
      actions: [
        '"ec2:AttachVolume"',
        '"ec2:DescribeInstances"',
        '"ec2:DescribeVolumes"',
        '"ec2:DetachVolume"',
      ],
    });
    expect(schedulesOf(settings)).toContain('volume-attacher-sweep');
  });
});

interface Grant extends Statement {
  readonly Condition?: Readonly<
    Record<'ForAllValues:StringLike', Readonly<Record<string, string | readonly string[]>>>
  >;
}

describe('what is done to machines', () => {
  it.each([
    ['cloud-node', { cloudProvider: 'ec2' }, 'autoscaling:CompleteLifecycleAction'],
    ['volume-attacher', { volumeAttacher: 'ebs' }, 'ec2:AttachVolume'],
  ])('by %s reaches only what has the tag of the cluster (J-395)', (_name, settings, action) => {
    const policies = ofType(synth({ ...settings, clusterId: 'blue' }), 'AWS::IAM::Policy').filter(([id]) =>
      id.startsWith('CloudFunction'),
    );
    const statements = policies.flatMap(
      ([, { Properties }]) => (Properties['PolicyDocument'] as { Statement: readonly Statement[] }).Statement,
    );
    const acting = statements.filter(({ Action }) => [Action].flat().includes(action));
    expect(acting).toHaveLength(1);
    expect(acting[0]).toMatchObject({
      Condition: { StringEquals: { 'aws:ResourceTag/rollcall.dev/cluster': 'blue' } },
    });
  });
});

/** Whether a pattern of a policy is for a text. */
const covers = (pattern: string, text: string): boolean =>
  new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(text);

describe('the function of the API', () => {
  it('writes nothing of the monitor, of deadlines or of events', () => {
    const writing = /:(Put|Update|Delete)Item$/;
    const statements = ofType(synth(), 'AWS::IAM::Policy')
      .filter(([id]) => id.startsWith('Apiserver'))
      .flatMap(
        ([, { Properties }]) => (Properties['PolicyDocument'] as { Statement: readonly Grant[] }).Statement,
      )
      .filter(({ Action }) => [Action].flat().some((action) => writing.test(action)))
      .filter((statement) => JSON.stringify(statement.Resource).includes('Statecontrol'));
    const keys = statements.map(
      ({ Condition }) => Condition?.['ForAllValues:StringLike']['dynamodb:LeadingKeys'],
    );
    expect(keys.length).toBeGreaterThan(0);
    for (const partition of [
      'pass',
      'zone',
      'deadline#default/p',
      'notice#s',
      'capacity-sweep',
      'restored#2',
    ])
      for (const patterns of keys)
        expect([patterns].flat().filter((pattern = '*') => covers(pattern, partition))).toEqual([]);
  });
});

describe('the signing keys', () => {
  it('are read by the API alone', () => {
    const [[secret] = []] = ofType(assembly, 'AWS::SecretsManager::Secret');
    const readers = ofType(assembly, 'AWS::IAM::Policy')
      .filter(([, policy]) => JSON.stringify(policy).includes(String(secret)))
      .map(([, { Properties }]) => Properties['PolicyName']);
    expect(readers).toEqual([expect.stringMatching(/^ApiserverFunction/)]);
    const told = [...functionsByName(assembly)].filter(([, fn]) =>
      JSON.stringify(fn.Properties).includes(String(secret)),
    );
    expect(told.map(([name]) => name)).toEqual(['apiserver']);
  });
});

describe('the function for beats', () => {
  it('reads no object but Nodes, and writes none', () => {
    const statements = ofType(synth(), 'AWS::IAM::Policy')
      .filter(([id]) => id.startsWith('Heartbeat'))
      .flatMap(
        ([, { Properties }]) => (Properties['PolicyDocument'] as { Statement: readonly Grant[] }).Statement,
      )
      .filter(({ Action }) => [Action].flat().some((action) => action.startsWith('dynamodb:')));
    const granted = statements.map(({ Action, Resource, Condition }) => {
      const keys = Condition?.['ForAllValues:StringLike']['dynamodb:LeadingKeys'];
      const table = /^State([a-z]+)[0-9A-F]{8}$/.exec(target(Resource))?.[1];
      const actions = [Action].flat().map((action) => action.replace('dynamodb:', ''));
      return `${table}: ${actions.toSorted().join(', ')} on ${keys === undefined ? 'all' : [keys].flat().join(', ')}`;
    });
    expect(granted.toSorted()).toEqual([
      'changes: PutItem on leases#*',
      'control: GetItem on public-keys',
      'control: PutItem on key-use#*',
      'control: UpdateItem on counter#leases',
      'heartbeats: BatchGetItem, GetItem, UpdateItem on all',
      'objects: ConditionCheckItem, GetItem on nodes#*',
    ]);
  });
});

describe('event-sender', () => {
  const SECRET = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:events-AbCdEf';
  /** Most sinks, with the longest names that they and their stack can have. */
  const most = synth({
    clusterId: 'a'.repeat(40),
    release: 'r'.repeat(64),
    eventKeySecretArn: SECRET,
    eventSink: Array.from(
      { length: 6 },
      (_, n) => `https://receiver-of-events-${n}.example.org/h#severity=critical`,
    ),
  });
  const variableOf = (given: Assembly, folder: string, name: string): string | undefined => {
    const fn = functionsByName(given).get(folder);
    return fn && environmentOf(fn)[name];
  };
  const actionsOf = (given: Assembly, construct: string): readonly string[] => {
    const policies = ofType(given, 'AWS::IAM::Policy').filter(([id]) => id.startsWith(construct));
    return JSON.stringify(policies).match(/"(sqs|secretsmanager|dynamodb):\w+"/g) ?? [];
  };

  it('is not there without a sink, and nobody stores events', () => {
    expect(functionsByName(assembly).has('event-sender')).toBe(false);
    for (const folder of ['change-router', 'node-monitor'])
      expect(variableOf(assembly, folder, 'EVENT_FILTERS')).toBe('none');
  });

  it('is there with one: the router and the monitor know its filter and no URL, and store events for it', () => {
    const settings = { eventSink: 'https://hooks.example.org/secret-path#severity=warning&group=off' };
    const given = synth(settings);
    for (const folder of ['change-router', 'node-monitor']) {
      const filters = variableOf(given, folder, 'EVENT_FILTERS');
      expect(filters).toMatch(/^hooks\.example\.org-[0-9a-f]{8}#severity=warning&group=off$/);
      expect(variableOf(given, folder, 'WORK_QUEUES')).toContain(
        '{"url":"generated","queues":["event-sender"]}',
      );
    }
    expect(JSON.parse(variableOf(given, 'event-sender', 'EVENT_SINKS') ?? '')).toMatchObject([
      { url: 'https://hooks.example.org/secret-path', isGrouped: false },
    ]);
    expect(actionsOf(given, 'EventSender')).toEqual(
      expect.arrayContaining(['"dynamodb:DeleteItem"', '"dynamodb:Query"']),
    );
    expect(actionsOf(given, 'EventSender')).not.toContain('"secretsmanager:GetSecretValue"');
    expect(rulesOf(settings, 'EventSender').map(({ State }) => State)).toEqual(['ENABLED']);
    expect(given.findings).toEqual([]);
  });

  it('may read the secrets with the keys, and nothing else of Secrets Manager', () => {
    expect(actionsOf(most, 'EventSender')).toContain('"secretsmanager:GetSecretValue"');
    expect(
      JSON.stringify(ofType(most, 'AWS::IAM::Policy').find(([id]) => id.startsWith('EventSender'))),
    ).toContain(SECRET);
  });

  it('leaves room in the 4 KB that the variables of a function may have, with the longest names', () => {
    const stack = `Rollcall-${'a'.repeat(40)}`;
    // A URL of a queue and the ARN of a secret, the name of a table or of a bus, and the id of a stack, as they are at most.
    const generated = `https://sqs.ap-southeast-2.amazonaws.com/111122223333/${stack}-node-eviction`;
    const named = `${stack}-${'n'.repeat(20)}`;
    const uuid = '11112222-3333-4444-5555-666677778888';
    const longest = (name: string): string => {
      if (name === 'STACK_ID') return uuid;
      return /_TABLE$|_BUS_NAME$/.test(name) ? named : generated;
    };
    const lengthOf = (name: string, value: string): number =>
      value.replaceAll('generated', longest(name)).length;
    for (const [folder, fn] of functionsByName(most)) {
      const variables = Object.entries(environmentOf(fn));
      const bytes = variables.map(([name, value]) => name.length + lengthOf(name, value));
      expect(
        bytes.reduce((sum, one) => sum + one, 0),
        folder,
      ).toBeLessThanOrEqual(4_096);
    }
  });

  it('is not there without controllers, as all others are not', () => {
    expect(functionsByName(synth({ ...WITH_SINK, controllers: 'none' })).has('event-sender')).toBe(false);
  });
});

describe('the setting controllers', () => {
  it('none leaves the two functions that serve requests, without taints for node conditions', () => {
    const bare = synth({ controllers: 'none' });
    expect([...functionsByName(bare).keys()].toSorted()).toEqual(['apiserver', 'heartbeat']);
    expect(sources(bare)).toEqual([]);
    expect(ofType(bare, 'AWS::Events::Rule')).toEqual([]);
    expect(JSON.stringify(bare.resources)).toContain('"CONDITION_TAINTS":"off"');
    expect(alarms(bare).map(({ description }) => sectionOf(description))).not.toContain(
      'node-monitor-silent',
    );
  });

  it('takes a list: a group without controllers is not there, and messages for others are dropped', () => {
    const given = synth({ controllers: '*,-volume-binder,-attach-detach,-job' });
    const functions = functionsByName(given);
    expect(functions.has('volumes')).toBe(false);
    for (const name of ['workloads', 'change-router']) {
      const fn = functions.get(name);
      const groups: readonly GroupQueue[] = JSON.parse((fn && environmentOf(fn)['WORK_QUEUES']) ?? '[]');
      const queues = groups.flatMap((group) => group.queues);
      expect(queues).toContain('replica-set');
      for (const dropped of ['job', 'volume-binder', 'attach-detach']) expect(queues).not.toContain(dropped);
    }
    expect(given.findings).toEqual([]);
  });

  it.each([
    ['*,-capacity-release', 'capacity-release must run on AWS'],
    ['*,-node-ipam', 'node-ipam must run on AWS'],
    ['*,-jobs', '"-jobs" is no controller'],
  ])('refuses %s, with the reason', (controllers, message) => {
    expect(() => synth({ controllers })).toThrow(message);
  });

  it('has a profile for nodes and their pods only, which goes with no list', () => {
    const given = synth({ profile: 'lifecycle' });
    expect([...functionsByName(given).keys()].toSorted()).toEqual([
      'apiserver',
      'change-router',
      'heartbeat',
      'node-eviction',
      'node-monitor',
      'pods',
    ]);
    expect(given.findings).toEqual([]);
    expect(() => synth({ profile: 'lifecycle', controllers: '*,-job' })).toThrow('leave out one of the two');
    expect(() => synth({ profile: 'lifecycle', cloudProvider: 'ec2' })).toThrow('runs no cloud-node');
  });

  it('keeps the addresses of the API and of beats over each of these', () => {
    const urls = (settings: Readonly<Record<string, unknown>>) =>
      ofType(synth(settings), 'AWS::Lambda::Url').map(([id, { Properties }]) => [
        id,
        target(Properties['TargetFunctionArn']),
      ]);
    // A new id of a function would be a new URL, which no machine knows.
    const pinned = [
      ['ApiserverFunctionFunctionUrlFF3B11FA', 'ApiserverFunctionBF76C242'],
      ['HeartbeatFunctionFunctionUrl4196D13B', 'HeartbeatFunction03D9647A'],
    ];
    for (const settings of [{}, { controllers: 'none' }, { profile: 'lifecycle' }])
      expect(urls(settings)).toEqual(pinned);
  });
});
