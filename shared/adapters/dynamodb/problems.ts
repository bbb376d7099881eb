/** What clients are told when the storage does not answer. */
import { StatusError, serviceUnavailable, tooManyRequests } from '../../api/status-error.ts';
import { isBusyError, isLate, isUnclear } from './errors.ts';

/** Seconds. The SDK has tried three times, and a request that is throttled was repeated for half a second. */
const RETRY_SECONDS = 1;

/**
 * The error for a request that has met a failure of AWS; `undefined`: the failure is none that passes, such as a missing permission. All of them say that
 * the same request may be sent again: a change whose outcome is unknown has its own error (`outcomeUnknown`), and beats and Leases may be sent twice.
 */
export const problemOfStorage = (error: unknown): StatusError | undefined => {
  if (error instanceof StatusError) return error;
  if (isBusyError(error)) return tooManyRequests('the storage is busy; try again', RETRY_SECONDS, error);
  if (isLate(error)) {
    const details = { retryAfterSeconds: RETRY_SECONDS };
    return new StatusError('Timeout', 'the storage did not answer in time; try again', details, error);
  }
  if (!isUnclear(error)) return undefined;
  const more = { retryAfterSeconds: RETRY_SECONDS, cause: error };
  return serviceUnavailable('the storage cannot be reached; try again', more);
};
