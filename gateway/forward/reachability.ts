/** Logs once that the API is unreachable, and once that it is reachable again. */
import { StatusError } from '../../shared/kube/errors/status-error.ts';
import type { HostLog } from '../../shared/serving/machine/host-log.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { isBroken } from '../upstream/upstream-problem.ts';

/** Calls `begins` at the first of several failures in a row, and `ends` at the success after them. */
export const trackReachability = (events: {
  readonly begins: (why: string) => void;
  readonly ends: () => void;
}) => {
  let isFailing = false;
  return {
    failed: (why: string): void => {
      if (!isFailing) events.begins(why);
      isFailing = true;
    },
    worked: (): void => {
      if (isFailing) events.ends();
      isFailing = false;
    },
  };
};

/**
 * Whether the API is unreachable, rather than one request failed. A broken connection does not count: the next request
 * decides.
 */
export const isUnreachable = (error: unknown): error is StatusError =>
  error instanceof StatusError &&
  (error.reason === 'ServiceUnavailable' || error.reason === 'Timeout') &&
  !isBroken(error);

/** What is told of an API: that it became unreachable, and why, and that it answers again. */
export type ReachabilityEvents = Parameters<typeof trackReachability>[0];

/** Wraps the upstream so that changes of its reachability are told. */
export const observingReachability = (upstream: Upstream, events: ReachabilityEvents): Upstream => {
  const outage = trackReachability(events);
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

/** Wraps the upstream so that changes of its reachability are logged. */
export const reportingReachability = (upstream: Upstream, hostLog: HostLog): Upstream =>
  observingReachability(upstream, {
    begins: (why) => hostLog.warn(why),
    ends: () => hostLog.info('the API answers again'),
  });
