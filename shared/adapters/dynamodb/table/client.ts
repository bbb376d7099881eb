import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Clock } from '../../../ports/process/clock.ts';
import type { IdSource } from '../../../ports/process/id-source.ts';
import type { AddressChange } from '../../../ports/store/addresses.ts';
import type { CapacityEffect } from '../../../ports/store/capacity.ts';
import { LIMITS, limited } from '../../system/aws-requests.ts';
import { type ObserveCapacity, observeCapacity } from './capacity.ts';
import type { TableNames } from './schema.ts';

/** Dependencies of every store in this folder. */
export interface DynamoDeps {
  readonly client: DynamoDBDocumentClient;
  readonly tables: TableNames;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly ids: Pick<IdSource, 'random'>;
  /** Makes the parts of a transaction that write claims and counters. Absent: no commit may change them. */
  readonly capacityItems?: (table: string, effect: CapacityEffect) => readonly TransactItem[];
  /** Makes the parts of a transaction that write blocks of addresses. Absent: no commit may change them. */
  readonly addressItems?: (table: string, changes: readonly AddressChange[]) => readonly TransactItem[];
}

/** One write or check of a transaction. */
export type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** Options of the document client. */
export interface ClientOptions {
  /** URL of an emulator; absent: AWS. */
  readonly endpoint?: string;
  readonly region?: string;
  readonly credentials?: NonNullable<DynamoDBClientConfig['credentials']>;
  /** Time-out of a request (ms); default 1,500. */
  readonly requestTimeoutMs?: number;
  /** If set, it is called with the consumed capacity of each request. */
  readonly onCapacity?: ObserveCapacity;
}

const MAX_SOCKETS = 64;

/** Creates a document client that keeps its connections open, sends a request at most three times and has short time-outs. */
export const createDocumentClient = (options: ClientOptions = {}): DynamoDBDocumentClient => {
  const { onCapacity, requestTimeoutMs: requestMs = LIMITS.requestMs, ...config } = options;
  const { maxAttempts, requestHandler } = limited({ ...LIMITS, requestMs });
  const client = new DynamoDBClient({
    ...config,
    maxAttempts,
    requestHandler: {
      ...requestHandler,
      httpAgent: { keepAlive: true, maxSockets: MAX_SOCKETS },
      httpsAgent: { keepAlive: true, maxSockets: MAX_SOCKETS },
    },
  });
  if (onCapacity) observeCapacity(client, onCapacity);
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
};
