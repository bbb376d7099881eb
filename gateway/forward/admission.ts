/** Limits of a gateway, and the refusals beyond them. */
import { tooManyRequests } from '../../shared/kube/errors/status-error.ts';
import { createPlaces, type Places } from '../../shared/serving/bodies/connection-limits.ts';
import type { ListenerLimits } from '../../shared/serving/http/listener.ts';

export interface GatewayLimits {
  /** Requests in flight. Open watches do not count. */
  readonly requests: number;
  /** Open watches of clients. */
  readonly watches: number;
  /** Watches that the gateway has open at the API, one for each different selection of objects. Each costs money on AWS. */
  readonly selections: number;
  /** Connections of clients. */
  readonly connections: number;
}

/** The default limits. A client's connection carries one request or one watch at a time. */
export const GATEWAY_LIMITS: GatewayLimits = {
  requests: 256,
  watches: 2_000,
  selections: 256,
  connections: 3_000,
};

const MEGABYTE = 1_048_576;
/** Most bytes of request bodies, and of answers, in memory. */
const BYTES = 64 * MEGABYTE;

/**
 * Limits of the gateway's listener. The gateway does not authenticate clients, and all have one address: only totals apply.
 */
export const listenerLimits = ({ connections: all }: GatewayLimits): ListenerLimits => ({
  connections: { all, perAddress: Infinity, perIdentity: Infinity, unauthenticated: Infinity },
  bytes: { bodies: BYTES, bodiesPerIdentity: BYTES, answers: BYTES },
});

/** Retry-After of refused requests and watches, seconds. */
const REQUEST_RETRY_SECONDS = 1;
const WATCH_RETRY_SECONDS = 10;

/** Places for requests in flight; the refusal is a 429. */
export const requestPlaces = ({ requests }: GatewayLimits): Places =>
  createPlaces(requests, () =>
    tooManyRequests(
      `the gateway has ${requests} requests in flight, which is the limit; please try again later`,
      REQUEST_RETRY_SECONDS,
    ),
  );

/** Places for open watches; the refusal is a 429. */
export const watchPlaces = ({ watches }: GatewayLimits): Places =>
  createPlaces(watches, () =>
    tooManyRequests(`the gateway has ${watches} watches open, which is the limit`, WATCH_RETRY_SECONDS),
  );

/** Throws 429 if `followed` selections are as many as allowed. */
export const checkSelections = (followed: number, { selections }: GatewayLimits): void => {
  if (followed >= selections)
    throw tooManyRequests(
      `the gateway follows ${selections} different selections of objects, which is the limit; let clients watch the same`,
      WATCH_RETRY_SECONDS,
    );
};
