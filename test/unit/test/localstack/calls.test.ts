import { describe, expect, it } from 'vitest';
import { callsOf, scopeOf } from '../../../localstack/guard/calls.ts';

const signed = (service: string, target: string, body: object | string) => ({
  headers: {
    authorization: `AWS4-HMAC-SHA256 Credential=fn-Rollcall-x/20260101/us-east-1/${service}/aws4_request, SignedHeaders=host, Signature=0`,
    ...(target === '' ? {} : { 'x-amz-target': target }),
  },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

const asked = (service: string, target: string, body: object | string) => {
  const request = signed(service, target, body);
  const scope = scopeOf(request);
  if (!scope) throw new Error('no scope');
  return callsOf(request, scope).map(({ action, resource, keys }) =>
    [
      action,
      resource.replace(/^arn:aws:\w+:us-east-1:000000000000:/, ''),
      ...(keys?.['dynamodb:leadingkeys'] ?? []),
    ].join(' '),
  );
};

const dynamoDb = (operation: string, body: object) =>
  asked('dynamodb', `DynamoDB_20120810.${operation}`, body);
const key = (pk: string) => ({ pk: { S: pk }, sk: { S: 'x' } });

describe('the calls of a request', () => {
  it.each([
    ['GetItem', { TableName: 't', Key: key('a#1') }, ['dynamodb:GetItem table/t a#1']],
    ['PutItem', { TableName: 't', Item: { ...key('a#1'), b: { N: '1' } } }, ['dynamodb:PutItem table/t a#1']],
    [
      'Query',
      {
        TableName: 't',
        KeyConditionExpression: '#p = :p AND #s > :s',
        ExpressionAttributeNames: { '#p': 'pk', '#s': 'sk' },
        ExpressionAttributeValues: { ':p': { S: 'a#1' }, ':s': { S: '' } },
      },
      ['dynamodb:Query table/t a#1'],
    ],
    [
      'Query',
      {
        TableName: 't',
        IndexName: 'i',
        KeyConditionExpression: 'node = :n',
        ExpressionAttributeValues: { ':n': { S: 'n' } },
      },
      ['dynamodb:Query table/t/index/i'],
    ],
    ['Scan', { TableName: 't' }, ['dynamodb:Scan table/t']],
    [
      'BatchGetItem',
      { RequestItems: { t: { Keys: [key('a'), key('b')] }, u: { Keys: [key('c')] } } },
      ['dynamodb:BatchGetItem table/t a b', 'dynamodb:BatchGetItem table/u c'],
    ],
    [
      'TransactWriteItems',
      {
        TransactItems: [
          { Put: { TableName: 't', Item: key('a') } },
          { Update: { TableName: 'u', Key: key('b') } },
          { Delete: { TableName: 'u', Key: key('c') } },
          { ConditionCheck: { TableName: 'arn:aws:dynamodb:us-east-1:000000000000:table/v', Key: key('d') } },
        ],
      },
      [
        'dynamodb:PutItem table/t a',
        'dynamodb:UpdateItem table/u b',
        'dynamodb:DeleteItem table/u c',
        'dynamodb:ConditionCheckItem table/v d',
      ],
    ],
    [
      'TransactGetItems',
      { TransactItems: [{ Get: { TableName: 't', Key: key('a') } }] },
      ['dynamodb:GetItem table/t a'],
    ],
  ])('to DynamoDB, %s %j', (operation, body, expected) => {
    expect(dynamoDb(operation, body)).toEqual(expected);
  });

  it('to queues are those of the single operation, on the queue of the URL', () => {
    const QueueUrl = 'http://localhost:4566/queue/us-east-1/000000000000/Rollcall-ticks';
    expect(asked('sqs', 'AmazonSQS.SendMessageBatch', { QueueUrl })).toEqual([
      'sqs:SendMessage Rollcall-ticks',
    ]);
  });

  it('to a bus are one for each entry', () => {
    expect(asked('events', 'AWSEvents.PutEvents', { Entries: [{ EventBusName: 'b' }, {}] })).toEqual([
      'events:PutEvents event-bus/b',
      'events:PutEvents event-bus/default',
    ]);
  });

  it('by the query protocol name their resources, if the action has rights by resource', () => {
    expect(asked('ec2', '', 'Action=DescribeInstances&Version=2016-11-15')).toEqual([
      'ec2:DescribeInstances *',
    ]);
    expect(asked('ec2', '', 'Action=AttachVolume&VolumeId=vol-1&InstanceId=i-1')).toEqual([
      'ec2:AttachVolume volume/vol-1',
      'ec2:AttachVolume instance/i-1',
    ]);
  });

  it('to a service that the guard does not know are an error', () => {
    expect(() => asked('kinesis', 'Kinesis_20131202.PutRecord', {})).toThrow('Kinesis_20131202');
  });
});

it('a request that is not signed has no scope', () => {
  expect(scopeOf({ headers: {}, body: '' })).toBeUndefined();
});
