import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createDocumentClient } from '../../../../shared/adapters/dynamodb/table/client.ts';
import { createEbsClient } from '../../../../shared/adapters/ec2/ebs.ts';
import { createEc2Client } from '../../../../shared/adapters/ec2/ec2-client.ts';
import { createAutoScalingClient } from '../../../../shared/adapters/ec2/lifecycle.ts';
import { createEventBridgeClient } from '../../../../shared/adapters/eventbridge/client.ts';
import { createSecretsClient } from '../../../../shared/adapters/secrets/client.ts';
import { createSqsClient } from '../../../../shared/adapters/sqs/client.ts';
import {
  EC2_LIMITS,
  LIMITS,
  limited,
  type RequestLimits,
} from '../../../../shared/adapters/system/aws-requests.ts';

interface Client {
  readonly config: {
    readonly maxAttempts: () => Promise<number>;
    readonly requestHandler: {
      handle(request: never): Promise<unknown>;
      httpHandlerConfigs(): Readonly<Record<string, unknown>>;
    };
  };
}

beforeAll(() => {
  vi.stubEnv('AWS_REGION', 'eu-west-1');
});

afterAll(() => {
  vi.unstubAllEnvs();
});

const limitsOf = async ({ config }: Client): Promise<unknown> => {
  // The handler reads its configuration before its first request; this one has no address.
  await config.requestHandler.handle({} as never).catch(() => undefined);
  const { connectionTimeout, requestTimeout, throwOnRequestTimeout } =
    config.requestHandler.httpHandlerConfigs();
  expect(throwOnRequestTimeout).toBe(true);
  return { attempts: await config.maxAttempts(), connectMs: connectionTimeout, requestMs: requestTimeout };
};

const CLIENTS: readonly (readonly [string, () => unknown, RequestLimits])[] = [
  ['DynamoDB', createDocumentClient, LIMITS],
  [
    'DynamoDB of an emulator',
    () => createDocumentClient({ requestTimeoutMs: 9 }),
    { ...LIMITS, requestMs: 9 },
  ],
  ['SQS', createSqsClient, LIMITS],
  ['EventBridge', createEventBridgeClient, LIMITS],
  ['Secrets Manager', createSecretsClient, LIMITS],
  ['Auto Scaling', createAutoScalingClient, LIMITS],
  ['EC2', createEc2Client, EC2_LIMITS],
  [
    'EC2 for disks, whose attempts are those of a stored back-off',
    createEbsClient,
    { ...EC2_LIMITS, attempts: 1 },
  ],
];

const withoutComments = (file: string): string =>
  readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');

const isMaking = (text: string): boolean =>
  text.includes('@aws-sdk/client-') && /new [A-Z]\w+Client\(/.test(text);

describe('a client of AWS', () => {
  it.each(CLIENTS)('has time-outs and attempts: %s', async (_, create, limits) =>
    expect(await limitsOf(create() as Client)).toEqual(limits),
  );

  it('waits for a second and a half at most, and of EC2 for eight, and is asked three times', () => {
    expect(LIMITS).toEqual({ attempts: 3, connectMs: 500, requestMs: 1_500 });
    expect(EC2_LIMITS).toEqual({ attempts: 3, connectMs: 500, requestMs: 8_000 });
    expect(limited().maxAttempts).toBe(3);
  });

  it('is made with limits in all programs', () => {
    const files = globSync('{shared,lambdas,host,cli,agent,relay,gateway}/**/*.ts');
    const making = files.filter((file) => isMaking(withoutComments(file)));
    const unlimited = making.filter((file) => !/\blimited\(/.test(readFileSync(file, 'utf8')));
    expect(making.length).toBeGreaterThan(6);
    expect(unlimited).toEqual([]);
  });
});
