/** Limits of concurrent connections to the host. Further connections are refused or closed. */
export interface ConnectionLimits {
  readonly all: number;
  readonly perAddress: number;
  /** Connections that have not sent a valid token yet. */
  readonly unauthenticated: number;
  /** Idle connections of one identity that are kept open between requests. */
  readonly perIdentity: number;
}

/** Limits of concurrent requests and watches. Further requests get 429. */
export interface FlowLimits {
  /** Requests whose answer is not complete, without heartbeats and watches. */
  readonly requests: { readonly all: number; readonly perIdentity: number; readonly perAddress: number };
  readonly watches: { readonly perIdentity: number; readonly perAddress: number };
}

/** Limits of sessions with nodes: logs, exec, attach, port-forward. Further ones get 429. */
export interface SessionLimits {
  readonly all: number;
  readonly perNode: number;
  readonly perIdentity: number;
  /** Milliseconds without a byte after which a terminal or a port-forward ends. */
  readonly idleMs: number;
}

/** Limits, in bytes, of memory that clients can occupy. */
export interface ByteLimits {
  /** The bodies of all requests that are not answered yet. */
  readonly bodies: number;
  readonly bodiesPerIdentity: number;
  /** All answers that their clients have not received yet. */
  readonly answers: number;
}

/** All limits of a host. */
export interface HostLimits extends FlowLimits {
  readonly connections: ConnectionLimits;
  readonly bytes: ByteLimits;
  readonly sessions: SessionLimits;
}
