/** How much a gateway takes on at a time. */
import { tooManyRequests } from '../../shared/api/status-error.ts';

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

/** Seconds after which a refused client may hope for a place. */
const REQUEST_RETRY_SECONDS = 1;
const WATCH_RETRY_SECONDS = 10;

export interface Places {
  /** Gives a place, to be given back once. Throws 429 when all are taken. */
  take(): () => void;
  taken(): number;
}

const createPlaces = (most: number, message: string, retrySeconds: number): Places => {
  let taken = 0;
  return {
    taken: () => taken,
    take: () => {
      if (taken >= most) throw tooManyRequests(message, retrySeconds);
      taken += 1;
      let isTaken = true;
      return () => {
        taken -= Number(isTaken);
        isTaken = false;
      };
    },
  };
};

export const requestPlaces = ({ requests }: GatewayLimits): Places =>
  createPlaces(
    requests,
    `the gateway has ${requests} requests in hand, which is the most; please try again later`,
    REQUEST_RETRY_SECONDS,
  );

export const watchPlaces = ({ watches }: GatewayLimits): Places =>
  createPlaces(watches, `the gateway has ${watches} watches open, which is the most`, WATCH_RETRY_SECONDS);

/** Throws 429 for a further selection when there are too many. */
export const checkSelections = (followed: number, { selections }: GatewayLimits): void => {
  if (followed >= selections)
    throw tooManyRequests(
      `the gateway follows ${selections} different selections of objects, which is the most; let clients watch the same`,
      WATCH_RETRY_SECONDS,
    );
};
