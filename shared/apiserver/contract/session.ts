/** A session: one request to the server of a node, which somebody was allowed to send, and the token for it. */
import type { NodeEndpoint } from '../../rules/streams/node-endpoint.ts';
import type { NodeTarget } from '../../rules/streams/node-request.ts';
import type { HttpResponse, RequestHead } from './http.ts';

/** What a request for a stream comes to: a request to the server of a node. */
export interface PlannedRequest {
  readonly node: string;
  readonly target: NodeTarget;
  /** Whether the client must ask for another protocol. */
  readonly upgrades: boolean;
}

/** A request to the server of a node, with all that it takes to send it. */
export interface NodeSession {
  readonly node: { readonly name: string; readonly uid: string };
  readonly endpoint: NodeEndpoint;
  readonly target: NodeTarget;
  /** Valid for this request only, once. */
  readonly token: string;
  /** Who asks. */
  readonly user: string;
}

/** Connects clients with the servers of nodes. Functions, which end after seconds, have none. */
export interface SessionOpener {
  /**
   * Takes a connection that a node opens: its channel (`stream` is empty), or a stream that it was asked for. Throws 404 for another one.
   */
  accept(node: NodeSession['node'], stream: string, request: Pick<RequestHead, 'headers'>): HttpResponse;
  /** Sends the request of the session; the answer is the node's. Rejects with a `StatusError` if the node does not answer. */
  open(
    session: NodeSession,
    client: Pick<RequestHead, 'method' | 'headers' | 'signal'>,
  ): Promise<HttpResponse>;
}
