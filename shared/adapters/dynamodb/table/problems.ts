/** What clients are told when the storage does not answer. */
import { StatusError } from '../../../kube/errors/status-error.ts';
import { busyStorage, isBusyError, isLate, isUnclear } from './errors.ts';

/**
 * The error for a request that has met a failure of AWS; `undefined`: the failure is none that passes, such as a missing permission. All of them say that
 * the same request may be sent again: a change whose outcome is unknown has its own error (`outcomeUnknown`), and beats and Leases may be sent twice.
 */
export const problemOfStorage = (error: unknown): StatusError | undefined => {
  if (isBusyError(error)) return busyStorage(error);
  if (!isUnclear(error)) return undefined;
  const reason = isLate(error) ? 'Timeout' : 'ServiceUnavailable';
  return new StatusError(reason, 'the storage does not answer; try again', { retryAfterSeconds: 1 }, error);
};
