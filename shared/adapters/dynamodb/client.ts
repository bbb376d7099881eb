import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Clock } from '../../ports/clock.ts';
import type { IdSource } from '../../ports/id-source.ts';
import { type ObserveCapacity, observeCapacity } from './capacity.ts';
import type { TableNames } from './schema.ts';

/** What every store of this folder is made of. */
export interface DynamoDeps {
  readonly client: DynamoDBDocumentClient;
  readonly tables: TableNames;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly ids: Pick<IdSource, 'random'>;
}

export interface ClientOptions {
  /** Of an emulator; AWS otherwise. */
  readonly endpoint?: string;
  readonly region?: string;
  readonly credentials?: NonNullable<DynamoDBClientConfig['credentials']>;
  /** How long an answer is waited for (ms); 1,500 unless told. */
  readonly requestTimeoutMs?: number;
  /** Asked for, every answer tells what it cost. */
  readonly onCapacity?: ObserveCapacity;
}

const MAX_ATTEMPTS = 3;
/** An answer takes 5 ms; a connection that does not come or does not answer is given up for another. */
const CONNECTION_TIMEOUT_MS = 500;
const REQUEST_TIMEOUT_MS = 1500;
const MAX_SOCKETS = 64;

/** A document client that keeps its connections, tries three times and waits a short time for each answer. */
export const createDocumentClient = (options: ClientOptions = {}): DynamoDBDocumentClient => {
  const { onCapacity, requestTimeoutMs = REQUEST_TIMEOUT_MS, ...config } = options;
  const client = new DynamoDBClient({
    ...config,
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
      httpAgent: { keepAlive: true, maxSockets: MAX_SOCKETS },
      httpsAgent: { keepAlive: true, maxSockets: MAX_SOCKETS },
    },
  });
  if (onCapacity) observeCapacity(client, onCapacity);
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
};
