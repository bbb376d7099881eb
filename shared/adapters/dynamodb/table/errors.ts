/** Classifies DynamoDB's errors by their meaning for the caller, and retries those that may be retried at once. */
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { type StatusError, tooManyRequests } from '../../../kube/errors/status-error.ts';
import { type BackOffDelays, backOff, jittered } from '../../../kube/values/back-off.ts';
import type { DynamoDeps } from './client.ts';
import type { Item } from './packing.ts';

/** Names of errors and cancellation reasons after which nothing was written or read, and the same request may be sent again. */
const BUSY = new Set([
  'TransactionConflict',
  'TransactionConflictException',
  'TransactionInProgressException',
  'ThrottlingError',
  'ThrottlingException',
  'ProvisionedThroughputExceeded',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'LimitExceededException',
]);

const LATE_ANSWERS: ReadonlySet<string> = new Set([
  'TimeoutError',
  'RequestTimeout',
  'RequestTimeoutException',
]);
const LOST_ANSWERS: ReadonlySet<string> = new Set([...LATE_ANSWERS, 'AbortError', 'NetworkingError']);
const LOST_CONNECTIONS = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/;

const ATTEMPTS = 6;
const RETRY: BackOffDelays = { firstMs: 10, mostMs: 160 };

/** Whether the name of an error, or a cancellation reason, says that the same request may be sent again. */
export const isBusy = (name: string | undefined): boolean => BUSY.has(name ?? '');

const CONDITION_FAILED = 'ConditionalCheckFailed';

/** Why each part of a transaction was refused, in the order of the parts; `None` for those that were not. */
export const reasonsOf = (error: TransactionCanceledException): readonly string[] =>
  error.CancellationReasons?.map(({ Code }) => Code ?? 'None') ?? [];

/** Whether a cancellation reason says that the condition failed. */
export const isFailedCondition = (reason: string | undefined): boolean => reason === CONDITION_FAILED;

/** Whether the request, or a part of its transaction, failed only because of a conflict or throttling. */
export const isBusyError = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  if (!(error instanceof TransactionCanceledException)) return isBusy(error.name);
  const reasons = reasonsOf(error);
  return reasons.some(isBusy) && !reasons.some(isFailedCondition);
};

const isServerFault = (error: Error): boolean => {
  if (!('$metadata' in error)) return false;
  const metadata = error.$metadata;
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return false;
  return Number(metadata.httpStatusCode) >= 500;
};

/** Whether there was no answer in time. */
export const isLate = (error: unknown): boolean => error instanceof Error && LATE_ANSWERS.has(error.name);

/** Whether it is unknown if the request took effect: there was no answer, or one with status 500 or above. */
export const isUnclear = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return LOST_ANSWERS.has(error.name) || LOST_CONNECTIONS.test(code) || isServerFault(error);
};

const plainValue = (value: AttributeValue): unknown => {
  if (value.N !== undefined) return Number(value.N);
  if (value.L !== undefined) return value.L.map(plainValue);
  if (value.M !== undefined) return plainItem(value.M);
  return value.S ?? value.B ?? value.BOOL ?? null;
};

/** Converts an item that an error carries, because the document client converts only the items of answers. */
export const plainItem = (raw: Readonly<Record<string, AttributeValue>>): Item =>
  Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, plainValue(value)]));

/** The error after the last attempt: nothing was written. */
export const busyStorage = (cause: unknown): StatusError =>
  tooManyRequests('the storage is busy; try again', 1, cause);

/** Waits before the next attempt: 5–10 ms after the first failed one, and twice as long after each further one. */
export const waitToRetry = (
  { clock, ids }: Pick<DynamoDeps, 'clock' | 'ids'>,
  failed: number,
): Promise<void> => clock.sleep(jittered(backOff(RETRY, failed), ids.random()));

/** Retries on transaction conflicts and throttling for about 0.5 s, then throws `StatusError` 429. */
export const patiently = async <T>(
  deps: Pick<DynamoDeps, 'clock' | 'ids'>,
  request: () => Promise<T>,
  failed = 0,
): Promise<T> => {
  try {
    return await request();
  } catch (error) {
    if (!isBusyError(error)) throw error;
    if (failed + 1 >= ATTEMPTS) throw busyStorage(error);
    await waitToRetry(deps, failed);
    return patiently(deps, request, failed + 1);
  }
};

/** Result of a conditional write: the requested attributes, or the item that refused it. */
export type Written =
  | { readonly met: true; readonly item: Item }
  | { readonly met: false; readonly item: Item | undefined };

/** Sends a conditional write. A failed condition is a result, not an error. */
export const conditionally = async (
  deps: Pick<DynamoDeps, 'clock' | 'ids'>,
  request: () => Promise<{ readonly Attributes?: Item | undefined }>,
): Promise<Written> => {
  try {
    const { Attributes: item = {} } = await patiently(deps, request);
    return { met: true, item };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { met: false, item: error.Item && plainItem(error.Item) };
  }
};
