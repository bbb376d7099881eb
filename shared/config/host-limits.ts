/** How much the host takes on at a time. What is more is refused, or waits. */
export interface ConnectionLimits {
  readonly all: number;
  readonly perAddress: number;
  /** Connections on which nobody has shown a valid token yet. */
  readonly unauthenticated: number;
  /** Connections of one identity that are kept between requests. */
  readonly perIdentity: number;
}

export interface FlowLimits {
  /** Requests that are not answered to their end; beats and watches do not count. */
  readonly requests: { readonly all: number; readonly perIdentity: number; readonly perAddress: number };
  readonly watches: { readonly perIdentity: number; readonly perAddress: number };
}

/** Bytes that lie in memory because of others. */
export interface ByteLimits {
  /** Bodies of requests that are not answered yet. */
  readonly bodies: number;
  readonly bodiesPerIdentity: number;
  /** Answers that their clients have not taken yet. */
  readonly answers: number;
}

export interface HostLimits extends FlowLimits {
  readonly connections: ConnectionLimits;
  readonly bytes: ByteLimits;
}
