/** Connects to an API through the routes of a gateway, which keep watches open over answers that end, as on AWS. */

import { createDashboardApi, type DashboardApi } from '../../dashboard/server/live/api.ts';
import { createProbe } from '../../dashboard/server/live/probe.ts';
import { createSource, type Source } from '../../dashboard/server/live/source.ts';
import { GATEWAY_LIMITS } from '../../gateway/forward/admission.ts';
import { createGatewayServe } from '../../gateway/serve.ts';
import { createUpstream } from '../../gateway/upstream/upstream.ts';
import { systemClock as clock } from '../../shared/adapters/system/clock.ts';
import { systemIds } from '../../shared/adapters/system/id-source.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import { createHostLog } from '../../shared/serving/machine/host-log.ts';

/** An API, and how to ask it. */
export interface ApiTarget {
  readonly url: URL;
  /** Certificate authority, PEM; `undefined`: a public one. */
  readonly ca: string | undefined;
  readonly token: () => Promise<string>;
}

/** Longer than the longest poll of the API. */
const TIMEOUT_MS = 90_000;
/** A watch for each collection, and one request. */
const SOCKETS = 8;

/** An API that is connected. */
export interface Connection {
  readonly api: DashboardApi;
  /** Whether the API answers. */
  readonly source: Source;
  close(): void;
}

/** Connects. `onChange`: the API is lost, or answers again. The gateway tries watches again without telling those who watch, so the API is asked besides. */
export const connectApi = ({ url, ca, token }: ApiTarget, onChange: () => void): Connection => {
  const asked = createProbe({ url, ca, token });
  const upstream = createUpstream({
    url,
    timeoutMs: TIMEOUT_MS,
    maxSockets: SOCKETS,
    ...optional('ca', ca),
  });
  const source = createSource({
    probe: asked.probe,
    now: clock.now,
    elapsed: () => performance.now(),
    onChange,
    reconnect: upstream.close,
  });
  const hostLog = createHostLog({ format: 'text', clock, write: () => undefined });
  const { random } = systemIds;
  const serve = createGatewayServe({ upstream, hostLog, clock, random, limits: GATEWAY_LIMITS });
  const stop = source.start();
  const close = (): void => {
    stop();
    upstream.close();
    asked.close();
  };
  return { api: createDashboardApi({ serve, token }), source, close };
};
