/** Composes the gateway and its routes. */
import { StatusError } from '../../shared/api/status-error.ts';
import type { Serve } from '../../shared/apiserver/serve.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { HostLog } from '../serving/host-log.ts';
import { type GatewayLimits, watchPlaces } from './admission.ts';
import { createGateway, type Route } from './gateway.ts';
import { isUnreachable, reportingReachability, trackReachability } from './reachability.ts';
import { createSharedWatches, type SharedWatchesDeps } from './shared-watches.ts';
import { createTokenChecks } from './token-checks.ts';
import type { Upstream } from './upstream.ts';
import { isBroken } from './upstream-problem.ts';
import { createWatchRoute } from './watch-route.ts';

export interface ServeDeps {
  readonly upstream: Upstream;
  readonly hostLog: HostLog;
  readonly clock: Clock;
  /** A random number in [0, 1). */
  readonly random: () => number;
  readonly limits: GatewayLimits;
}

/** Errors that need no log line here: unreachability is logged once for all requests, and a refusal goes to the client. */
const isReportedElsewhere = (error: unknown): boolean =>
  isUnreachable(error) ||
  isBroken(error) ||
  (error instanceof StatusError && (error.code === 401 || error.code === 403));

const tellerTo =
  (hostLog: HostLog): SharedWatchesDeps['teller'] =>
  ({ path, selectors }) => {
    const watch = selectors.size === 0 ? path : `${path}?${decodeURIComponent(String(selectors))}`;
    const { failed, worked } = trackReachability({
      begins: (why) => hostLog.warn(`the watch of ${watch} failed; it is tried again`, { error: why }),
      ends: () => hostLog.info(`the watch of ${watch} works again`),
    });
    return {
      answered: worked,
      failed: (error) => {
        if (!isReportedElsewhere(error)) failed(error instanceof Error ? error.message : String(error));
      },
    };
  };

/**
 * Answers all requests of clients: those of `first` by these routes, watches by shared watches, everything else by forwarding. Never
 * rejects.
 */
export const createGatewayServe = (
  { upstream: given, hostLog, clock, random, limits }: ServeDeps,
  first: readonly Route[] = [],
): Serve => {
  const upstream = reportingReachability(given, hostLog);
  const shared = createSharedWatches({ upstream, clock, limits, teller: tellerTo(hostLog) });
  const onError = (error: unknown): void => {
    if (!isReportedElsewhere(error)) hostLog.warn('the watch of a client has failed', { error });
  };
  const places = watchPlaces(limits);
  const isTokenValid = createTokenChecks({ upstream, clock });
  const watches = createWatchRoute({ upstream, shared, places, clock, isTokenValid, random, onError });
  return createGateway({ upstream, hostLog, limits }, [...first, watches]);
};
