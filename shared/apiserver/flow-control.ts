import type { User } from './access/user.ts';
import type { RequestHead } from './http.ts';
import type { RequestInfo } from './request/request-info.ts';

/** A request that was let in. */
export interface Place {
  /** Does a piece of the request's work when it is its turn. Throws 429 when that takes too long. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** How many requests a server takes on, and which go first. Where the platform sees to that, there is none. */
export interface FlowControl {
  /** Finds out who sends a request when that is work: its token was not seen before. Throws 429. */
  identify<T>(request: RequestHead, work: () => Promise<T>): Promise<T>;
  /** Lets a request in until its signal is aborted. Throws 429 when its sender, or the server, has too many in hand. */
  enter(request: RequestHead, info: RequestInfo, sender: User): Place;
}

/** Everybody at once. */
export const NO_FLOW_CONTROL: FlowControl = {
  identify: (_request, work) => work(),
  enter: () => ({ run: (work) => work() }),
};
