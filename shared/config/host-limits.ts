/** Limits of concurrent connections to the host. Further ones are refused or wait. */
export interface ConnectionLimits {
  readonly all: number;
  readonly perAddress: number;
  /** Connections on which no valid token was presented yet. */
  readonly unauthenticated: number;
  /** Idle connections of one identity that are kept open between requests. */
  readonly perIdentity: number;
}

/** Limits of concurrent requests and watches. Further ones get 429. */
export interface FlowLimits {
  /** Requests whose answer is not complete. Heartbeats and watches do not count. */
  readonly requests: { readonly all: number; readonly perIdentity: number; readonly perAddress: number };
  readonly watches: { readonly perIdentity: number; readonly perAddress: number };
}

/** Limits, in bytes, of memory that clients can occupy. */
export interface ByteLimits {
  /** Bodies of requests that are not answered yet, all together. */
  readonly bodies: number;
  readonly bodiesPerIdentity: number;
  /** Answers that their clients have not received yet, all together. */
  readonly answers: number;
}

/** All limits of a host. */
export interface HostLimits extends FlowLimits {
  readonly connections: ConnectionLimits;
  readonly bytes: ByteLimits;
}
