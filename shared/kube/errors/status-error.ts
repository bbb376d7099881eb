/** Errors as Kubernetes' `Status` objects. Source: apimachinery v1.34 `api/errors`. */
import { shortened } from '../text/go-quote.ts';
import { optional } from '../values/optional.ts';

const HTTP_CODES = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  NotImplemented: 501,
  ServiceUnavailable: 503,
  Timeout: 504,
} as const;

export type StatusReason = keyof typeof HTTP_CODES;

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** List metadata in a Status. */
export interface StatusMeta {
  /** A new token that continues the list whose `continue` token has expired. */
  readonly continue?: string;
}

export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: StatusMeta;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code: number;
}

/** Limits of a message in characters and of the number of causes: both may repeat parts of the request. */
const [MOST_CHARACTERS, MOST_CAUSES] = [65_536, 100];

const cut = (message: string): string =>
  message.length > MOST_CHARACTERS
    ? `${message.slice(0, MOST_CHARACTERS)}… (${message.length - MOST_CHARACTERS} more characters)`
    : message;

const shortCause = ({ reason, message, field }: StatusCause): StatusCause => ({
  ...optional('reason', reason),
  ...(message === undefined ? {} : { message: cut(message) }),
  ...(field === undefined ? {} : { field: shortened(field) }),
});

const shortDetails = ({ name, uid, causes, ...rest }: StatusDetails): StatusDetails => ({
  ...(name === undefined ? {} : { name: shortened(name) }),
  ...rest,
  ...(uid === undefined ? {} : { uid: shortened(uid) }),
  ...(causes === undefined ? {} : { causes: causes.slice(0, MOST_CAUSES).map(shortCause) }),
});

/**
 * The only exception whose text reaches a client. `code` follows from `reason` unless one is passed to the constructor.
 */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly reason: StatusReason;
  readonly code: number;
  readonly details: StatusDetails | undefined;
  readonly metadata: StatusMeta;

  constructor(
    reason: StatusReason,
    message: string,
    details?: StatusDetails,
    cause?: unknown,
    metadata: StatusMeta = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.metadata = metadata;
    this.reason = reason;
    this.code = HTTP_CODES[reason];
    this.details = details;
  }

  toStatus(): Status {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.metadata,
      status: 'Failure',
      message: cut(this.message),
      reason: this.reason,
      ...(this.details ? { details: shortDetails(this.details) } : {}),
      code: this.code,
    };
  }
}

/** Whether a thrown value is a `StatusError` with this reason. */
export const hasReason = (error: unknown, reason: StatusReason): error is StatusError =>
  error instanceof StatusError && error.reason === reason;

/** What an error is about: the resource's plural, its group (`''` for core) and, if known, the object's name. */
export interface ErrorSubject {
  readonly resource: string;
  readonly group?: string;
  readonly name?: string;
}

/** `leases.coordination.k8s.io`, or `nodes` in the core group. */
export const qualifiedResource = ({ resource, group }: ErrorSubject): string =>
  group ? `${resource}.${group}` : resource;

const detailsOf = ({ resource, group, name }: ErrorSubject): StatusDetails => ({
  ...optional('name', name),
  ...(group ? { group } : {}),
  kind: resource,
});

const quoted = (subject: ErrorSubject): string =>
  subject.name === undefined
    ? qualifiedResource(subject)
    : `${qualifiedResource(subject)} "${shortened(subject.name)}"`;

export const badRequest = (message: string, cause?: unknown): StatusError =>
  new StatusError('BadRequest', message, undefined, cause);

export const unauthorized = (message = 'Unauthorized'): StatusError =>
  new StatusError('Unauthorized', message);

export const forbidden = (subject: ErrorSubject, why: string): StatusError =>
  new StatusError('Forbidden', `${quoted(subject)} is forbidden: ${why}`, detailsOf(subject));

export const notFound = (subject: ErrorSubject): StatusError =>
  new StatusError('NotFound', `${quoted(subject)} not found`, detailsOf(subject));

export const alreadyExists = (subject: ErrorSubject): StatusError =>
  new StatusError('AlreadyExists', `${quoted(subject)} already exists`, detailsOf(subject));

/** Another writer changed the object in the meantime. The client should read it again and repeat the change. */
export const conflict = (
  subject: ErrorSubject,
  why = 'the object has been modified; please apply your changes to the latest version and try again',
): StatusError =>
  new StatusError(
    'Conflict',
    `Operation cannot be fulfilled on ${quoted(subject)}: ${why}`,
    detailsOf(subject),
  );

/** The path exists but does not support the HTTP method. */
export const methodNotAllowed = (
  message = 'the server does not allow this method on the requested resource',
): StatusError => new StatusError('MethodNotAllowed', message, {});

/** The server has no such path. */
export const noSuchPath = (message = 'the server could not find the requested resource'): StatusError =>
  new StatusError('NotFound', message, {});

/** The user may not read this path. `why` is the complete sentence. */
export const forbiddenPath = (why: string): StatusError =>
  new StatusError('Forbidden', `forbidden: ${why}`, {});

export const notAcceptable = (message: string): StatusError => new StatusError('NotAcceptable', message, {});

export const unsupportedMediaType = (message: string): StatusError =>
  new StatusError('UnsupportedMediaType', message, {});

export const requestEntityTooLarge = (message: string): StatusError =>
  new StatusError('RequestEntityTooLarge', message);

/**
 * A list or watch needs history that is no longer kept. The client must list again, or continue with the token in
 * `metadata`.
 */
export const resourceExpired = (
  message = 'The resourceVersion for the provided watch is too old.',
  metadata?: StatusMeta,
): StatusError => new StatusError('Expired', message, undefined, undefined, metadata);

export const tooManyRequests = (message: string, retryAfterSeconds = 1, cause?: unknown): StatusError =>
  new StatusError('TooManyRequests', message, { retryAfterSeconds }, cause);

/** The server cannot serve at the moment; `message` says why. */
export const serviceUnavailable = (
  message: string,
  { retryAfterSeconds, cause }: { readonly retryAfterSeconds?: number; readonly cause?: unknown },
): StatusError =>
  new StatusError(
    'ServiceUnavailable',
    message,
    retryAfterSeconds === undefined ? {} : { retryAfterSeconds },
    cause,
  );

const UNCERTAIN = 'it may have been carried out or not';

/**
 * A change was sent to the storage, and nobody can say whether it was made. It has no Retry-After: client-go sends what has one again by itself, and a
 * creation that did happen would then be refused, or made twice with `generateName`.
 */
export const outcomeUnknown = (cause: unknown): StatusError =>
  new StatusError('Timeout', `the storage does not answer: ${UNCERTAIN}`, {}, cause);

/** The request takes longer than the server may take. `isReading`: it changes nothing, so it may be sent again at once. */
export const outOfTime = (isReading: boolean): StatusError =>
  new StatusError(
    'Timeout',
    `the request did not finish within the time limit of the server${isReading ? '' : `: ${UNCERTAIN}`}`,
    isReading ? { retryAfterSeconds: 1 } : {},
  );

export const internalError = (message: string, cause?: unknown): StatusError =>
  new StatusError('InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] }, cause);

/** The object is invalid. `kind` is its kind and group, `summary` the causes in one line. */
export const invalid = (
  kind: { readonly kind: string; readonly group?: string },
  name: string,
  summary: string,
  causes: readonly StatusCause[],
): StatusError =>
  new StatusError(
    'Invalid',
    `${kind.group ? `${kind.kind}.${kind.group}` : kind.kind} "${shortened(name)}" is invalid: ${summary}`,
    {
      ...(name ? { name } : {}),
      ...(kind.group ? { group: kind.group } : {}),
      ...(kind.kind ? { kind: kind.kind } : {}),
      causes,
    },
  );
