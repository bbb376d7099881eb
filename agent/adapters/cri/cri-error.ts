/** A call that failed. Source of the text: grpc-go `status.Error`. */

/** Source: gRPC status codes; the index is the code. */
const CODES = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
] as const;

/** What the runtime answered, or why it did not answer. */
export class CriError extends Error {
  override readonly name = 'CriError';
  /** Such as `NotFound`, `Unavailable`, `DeadlineExceeded`. */
  readonly code: string;
  /** The runtime's own words. */
  readonly details: string;

  constructor(number: number, details: string) {
    const code = CODES[number] ?? `Code(${number})`;
    super(`rpc error: code = ${code} desc = ${details}`);
    this.code = code;
    this.details = details;
  }
}

/** Whether the runtime says that it has no such thing. */
export const isNotFound = (error: unknown): boolean => error instanceof CriError && error.code === 'NotFound';

/** `undefined`: the runtime has no such thing any more, which is as good as removed. */
export const unlessGone = async <T>(call: Promise<T>): Promise<T | undefined> => {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};
