/** What answers the requests of the agent's server. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { NodeReads } from '../../ports/api/node-reads.ts';
import type { NodePath } from '../../rules/server/node-path.ts';

export interface NodeRequest {
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Aborts when the client has gone, or the agent stops. */
  readonly signal: AbortSignal;
}

export interface NodeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Pieces are taken as fast as the client reads. */
  readonly body: string | AsyncIterable<Uint8Array>;
}

/** A connection that has left HTTP. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What came with the request. */
  readonly head: Buffer;
  readonly path: NodePath & { readonly kind: 'exec' | 'attach' | 'portForward' };
  readonly query: URLSearchParams;
  readonly signal: AbortSignal;
}

export interface NodeHandlers {
  readonly logs: (request: NodeRequest, path: NodePath & { readonly kind: 'logs' }) => Promise<NodeAnswer>;
  /** Resolves when the session is over. Rejects with a `NodeFault` if the connection has not been upgraded. */
  readonly upgrade: (upgrade: Upgrade) => Promise<void>;
  /** By path, such as `/stats/summary`. */
  readonly pages: NodeReads;
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  408: 'Timeout',
  422: 'Invalid',
  429: 'TooManyRequests',
  504: 'Timeout',
};

/** Why a request has no other answer. Its text is the message of the `Status`. */
export class NodeFault extends Error {
  override readonly name = 'NodeFault';
  readonly status: number;
  readonly reason: string;

  constructor(status: number, message: string, reason = REASONS[status] ?? 'InternalError') {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** A `Status`, which clients show even where nobody between them and the node makes one of the answer. */
export const statusAnswer = (code: number, reason: string, message: string): NodeAnswer => ({
  status: code,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    code,
  }),
});

/** The answer to what went wrong. */
export const faultAnswer = (error: unknown): NodeAnswer => {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof NodeFault) return statusAnswer(error.status, error.reason, text);
  return statusAnswer(500, 'InternalError', text);
};
