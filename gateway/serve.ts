/** Composes the gateway and its routes. */

import type { SessionOpener } from '../shared/apiserver/contract/session.ts';
import type { Serve } from '../shared/apiserver/serve.ts';
import { StatusError } from '../shared/kube/errors/status-error.ts';
import type { Clock } from '../shared/ports/process/clock.ts';
import type { HostLog } from '../shared/serving/machine/host-log.ts';
import { createChannels } from '../shared/serving/streams/channels.ts';
import { createDirectReach, createReach } from '../shared/serving/streams/reach.ts';
import { createSessionPlaces } from '../shared/serving/streams/session-places.ts';
import { createSessions } from '../shared/serving/streams/sessions.ts';
import { sessionLimitsOf } from '../shared/settings/host/host-configuration.ts';
import type { SessionLimits } from '../shared/settings/host/host-limits.ts';
import { type GatewayLimits, watchPlaces } from './forward/admission.ts';
import { createGateway, type GatewayDeps, type Route } from './forward/gateway.ts';
import { isUnreachable, reportingReachability, trackReachability } from './forward/reachability.ts';
import { type Advertised, createAnnouncer, createChannelRoute } from './routes/channel-route.ts';
import { createMetricsRoute } from './routes/metrics-route.ts';
import { createStreamRoute } from './routes/stream-route.ts';
import type { Upstream } from './upstream/upstream.ts';
import { isBroken } from './upstream/upstream-problem.ts';
import { createSharedWatches, type SharedWatchesDeps } from './watches/shared-watches.ts';
import { createTokenChecks } from './watches/token-checks.ts';
import { createWatchRoute } from './watches/watch-route.ts';

export interface ServeDeps {
  readonly upstream: Upstream;
  readonly hostLog: HostLog;
  readonly clock: Clock;
  /** A random number in [0, 1). */
  readonly random: () => number;
  readonly limits: GatewayLimits;
  /** Absent: the usual ones. */
  readonly sessionLimits?: SessionLimits;
  readonly placeOf?: GatewayDeps['placeOf'];
  /** How nodes reach the gateway that it cannot reach; absent: they do not. */
  readonly advertised?: Advertised | undefined;
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

const sessionsOf = (
  upstream: Upstream,
  { advertised, sessionLimits = sessionLimitsOf({}) }: Pick<ServeDeps, 'advertised' | 'sessionLimits'>,
): SessionOpener => {
  const own = { places: createSessionPlaces(sessionLimits), idleMs: sessionLimits.idleMs };
  if (!advertised) return createSessions({ ...own, reach: createDirectReach() });
  const channels = createChannels();
  const announce = createAnnouncer(upstream, advertised);
  return createSessions({
    ...own,
    reach: createReach({ channels, announce, elapsed: () => performance.now() }),
    channels,
  });
};

/**
 * Answers all requests of clients: those of `first` by these routes, streams and metrics by nodes, watches by shared watches, everything else by
 * forwarding. Never rejects.
 */
export const createGatewayServe = (
  { upstream: given, hostLog, clock, random, limits, placeOf, ...sessionDeps }: ServeDeps,
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
  const sessions = sessionsOf(upstream, sessionDeps);
  const streams = createStreamRoute({ upstream, sessions });
  const channels = createChannelRoute({ upstream, sessions });
  const metrics = createMetricsRoute({ upstream, sessions, clock, hostLog });
  return createGateway({ upstream, hostLog, limits, placeOf }, [
    ...first,
    streams,
    channels,
    metrics,
    watches,
  ]);
};
