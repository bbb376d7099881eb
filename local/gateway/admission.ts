/** How much a gateway takes on at a time. */
import { tooManyRequests } from '../../shared/api/status-error.ts';
import type { ListenerLimits } from '../serving/listener.ts';
import { createPlaces, type Places } from '../serving/places.ts';

export interface GatewayLimits {
  /** Requests that are being answered; watches that are open do not count. */
  readonly requests: number;
  /** Watches of clients. */
  readonly watches: number;
  /** Watches of the API: selections that are followed. Each is paid for. */
  readonly selections: number;
  /** Connections of clients. */
  readonly connections: number;
}

/** A client's connection carries one request or one watch at a time. */
export const GATEWAY_LIMITS: GatewayLimits = {
  requests: 256,
  watches: 2_000,
  selections: 256,
  connections: 3_000,
};

const MEGABYTE = 1_048_576;
/** Bytes of bodies, and of answers, that lie in memory. */
const BYTES = 64 * MEGABYTE;

/** Of the gateway's listener. Who its clients are is for the API to say: here all are of one kind, and of one address. */
export const listenerLimits = ({ connections: all }: GatewayLimits): ListenerLimits => ({
  connections: { all, perAddress: Infinity, perIdentity: Infinity, unauthenticated: Infinity },
  bytes: { bodies: BYTES, bodiesPerIdentity: BYTES, answers: BYTES },
});

/** Seconds after which a refused client may hope for a place. */
const REQUEST_RETRY_SECONDS = 1;
const WATCH_RETRY_SECONDS = 10;

export const requestPlaces = ({ requests }: GatewayLimits): Places =>
  createPlaces(requests, () =>
    tooManyRequests(
      `the gateway has ${requests} requests in hand, which is the most; please try again later`,
      REQUEST_RETRY_SECONDS,
    ),
  );

export const watchPlaces = ({ watches }: GatewayLimits): Places =>
  createPlaces(watches, () =>
    tooManyRequests(`the gateway has ${watches} watches open, which is the most`, WATCH_RETRY_SECONDS),
  );

/** Throws 429 for a further selection when there are too many. */
export const checkSelections = (followed: number, { selections }: GatewayLimits): void => {
  if (followed >= selections)
    throw tooManyRequests(
      `the gateway follows ${selections} different selections of objects, which is the most; let clients watch the same`,
      WATCH_RETRY_SECONDS,
    );
};
