/** How long each client of AWS waits, and how often it tries: all of them, in one place. */
export interface RequestLimits {
  readonly attempts: number;
  /** Milliseconds until a connection is made. */
  readonly connectMs: number;
  /** Milliseconds until an answer, with the time to connect. */
  readonly requestMs: number;
}

/** Of functions. An answer usually takes 5 to 50 ms; after a time-out another connection is tried. */
export const LIMITS: RequestLimits = { attempts: 3, connectMs: 500, requestMs: 1_500 };
/** EC2 may take seconds to describe what is large. */
export const EC2_LIMITS: RequestLimits = { attempts: 3, connectMs: 500, requestMs: 8_000 };
/** Of commands: an operator may be on a slow line. */
export const OPERATOR_LIMITS: RequestLimits = { attempts: 2, connectMs: 5_000, requestMs: 10_000 };

/** The part of a client's configuration that sets these limits. Without one, a client of the SDK waits without end. */
export const limited = ({ attempts, connectMs, requestMs }: RequestLimits = LIMITS) => ({
  maxAttempts: attempts,
  requestHandler: {
    connectionTimeout: connectMs,
    requestTimeout: requestMs,
    throwOnRequestTimeout: true,
  },
});
