/** Logs once that the API is unreachable, and once that it is reachable again. */
import { StatusError } from '../../shared/api/status-error.ts';
import type { HostLog } from '../serving/host-log.ts';
import type { Upstream } from './upstream.ts';
import { isBroken } from './upstream-problem.ts';

/** Tells the first failure of a row, and the success that ends it. */
export const trackReachability = (told: {
  readonly begins: (why: string) => void;
  readonly ends: () => void;
}) => {
  let isOn = false;
  return {
    failed: (why: string): void => {
      if (!isOn) told.begins(why);
      isOn = true;
    },
    worked: (): void => {
      if (isOn) told.ends();
      isOn = false;
    },
  };
};

/** Whether the API is unreachable, rather than one request failed. A broken connection does not count: the next request decides. */
export const isUnreachable = (error: unknown): error is StatusError =>
  error instanceof StatusError &&
  (error.reason === 'ServiceUnavailable' || error.reason === 'Timeout') &&
  !isBroken(error);

/** Wraps the upstream so that changes of its reachability are logged. */
export const reportingReachability = (upstream: Upstream, hostLog: HostLog): Upstream => {
  const outage = trackReachability({
    begins: (why) => hostLog.warn(why),
    ends: () => hostLog.info('the API answers again'),
  });
  const observed = async <T>(work: Promise<T>): Promise<T> => {
    try {
      const answered = await work;
      outage.worked();
      return answered;
    } catch (error) {
      if (isUnreachable(error)) outage.failed(error.message);
      throw error;
    }
  };
  return {
    send: (request) => observed(upstream.send(request)),
    open: (request) => observed(upstream.open(request)),
    close: upstream.close,
  };
};
