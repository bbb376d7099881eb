/** Reads from a signed request who sends it, and which calls IAM would judge. */
import { dynamoDbCalls } from './dynamodb-calls.ts';
import type { AwsCall } from './policy.ts';

/** A request as it arrives. */
export interface SentRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** What the credential scope of a signature names. */
export interface Scope {
  readonly accessKeyId: string;
  readonly region: string;
  readonly service: string;
}

const ACCOUNT = '000000000000';

const headerOf = ({ headers }: SentRequest, name: string): string => String(headers[name] ?? '');

/** What names the operation: `AmazonSQS.SendMessage`; '' in the query protocol. */
export const targetOf = (request: SentRequest): string => headerOf(request, 'x-amz-target');

/** `undefined`: the request is not signed by the fourth version. */
export const scopeOf = (request: SentRequest): Scope | undefined => {
  const found = /Credential=([^/]+)\/\d+\/([^/]+)\/([^/]+)\//.exec(headerOf(request, 'authorization'));
  const [, accessKeyId, region, service] = found ?? [];
  return accessKeyId && region && service ? { accessKeyId, region, service } : undefined;
};

/** `arn:` names as they are; other names with what stands before them. */
const arn = (name: string, prefix: string): string => (name.startsWith('arn:') ? name : `${prefix}${name}`);

const tableArns =
  ({ region }: Scope) =>
  (table: string, index?: string): string => {
    const whole = arn(table, `arn:aws:dynamodb:${region}:${ACCOUNT}:table/`);
    return index === undefined ? whole : `${whole}/index/${index}`;
  };

/** Batches have the rights of their single operation. */
const SQS_ACTION = /Batch$/;

const sqsCalls = (operation: string, body: { QueueUrl?: string }, { region }: Scope): readonly AwsCall[] => [
  {
    action: `sqs:${operation.replace(SQS_ACTION, '')}`,
    resource: `arn:aws:sqs:${region}:${ACCOUNT}:${body.QueueUrl?.split('/').at(-1) ?? ''}`,
  },
];

const eventCalls = (
  operation: string,
  { Entries = [] }: { Entries?: readonly { EventBusName?: string }[] },
  { region }: Scope,
): readonly AwsCall[] =>
  Entries.map(({ EventBusName = 'default' }) => ({
    action: `events:${operation}`,
    resource: arn(EventBusName, `arn:aws:events:${region}:${ACCOUNT}:event-bus/`),
  }));

const secretCalls = (operation: string, { SecretId = '' }: { SecretId?: string }, { region }: Scope) => [
  {
    action: `secretsmanager:${operation}`,
    resource: arn(SecretId, `arn:aws:secretsmanager:${region}:${ACCOUNT}:secret:`),
  },
];

/** The services that speak JSON, by the beginning of the header that names the operation. */
const JSON_SERVICES: Readonly<
  Record<string, (operation: string, body: object, scope: Scope) => readonly AwsCall[]>
> = {
  DynamoDB_20120810: (operation, body, scope) => dynamoDbCalls(operation, body, tableArns(scope)),
  AmazonSQS: sqsCalls,
  AWSEvents: eventCalls,
  secretsmanager: secretCalls,
};

/** Parameters that name a resource, by the service and the action that has rights by resource. */
const QUERY_RESOURCES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'ec2:AttachVolume': { VolumeId: 'volume', InstanceId: 'instance' },
  'ec2:DetachVolume': { VolumeId: 'volume', InstanceId: 'instance' },
};

/** The services that speak the query protocol. */
const queryCalls = (body: string, { service, region }: Scope): readonly AwsCall[] => {
  const parameters = new URLSearchParams(body);
  const action = `${service}:${parameters.get('Action') ?? ''}`;
  const group = parameters.get('AutoScalingGroupName');
  if (group !== null)
    return [
      {
        action,
        resource: `arn:aws:autoscaling:${region}:${ACCOUNT}:autoScalingGroup:*:autoScalingGroupName/${group}`,
      },
    ];
  const named = Object.entries(QUERY_RESOURCES[action] ?? {}).flatMap(([parameter, type]) => {
    const id = parameters.get(parameter);
    return id === null ? [] : [{ action, resource: `arn:aws:${service}:${region}:${ACCOUNT}:${type}/${id}` }];
  });
  return named.length > 0 ? named : [{ action, resource: '*' }];
};

/** The calls of a request. Throws for a service that the guard does not know. */
export const callsOf = (request: SentRequest, scope: Scope): readonly AwsCall[] => {
  const target = targetOf(request);
  if (target === '') return queryCalls(request.body, scope);
  const [service = '', operation = ''] = target.split('.');
  const read = JSON_SERVICES[service];
  if (!read) throw new Error(`the guard does not know the service of ${target}`);
  return read(operation, JSON.parse(request.body) as object, scope);
};
