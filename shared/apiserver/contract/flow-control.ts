import type { User } from '../../kinds/contract/user.ts';
import type { RequestHead } from './http.ts';
import type { RequestInfo } from './request-info.ts';

/** A request that was admitted. */
export interface Place {
  /**
   * Runs a piece of the request's work when its turn comes and, where it works on a body of `bodyBytes`, when there is memory
   * for that. Throws 429 when that takes too long.
   */
  run<T>(work: () => Promise<T>, bodyBytes?: number): Promise<T>;
}

/** Limits how many requests a server works on, and decides their order. Servers whose platform does that have none. */
export interface FlowControl {
  /** Runs the authentication of a request whose token is not in the cache of verified tokens. Throws 429. */
  identify<T>(request: RequestHead, work: () => Promise<T>): Promise<T>;
  /**
   * Admits a request until its signal is aborted. Throws 429 when its sender, or the server, has too many
   * requests in flight.
   */
  enter(request: RequestHead, info: RequestInfo, sender: User): Place;
}

/** No limits: every request is served at once. */
export const NO_FLOW_CONTROL: FlowControl = {
  identify: (_request, work) => work(),
  enter: () => ({ run: (work) => work() }),
};
