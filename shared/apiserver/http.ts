/** Requests and answers as plain values, so that any host can carry them. */
import type { Accepted } from './accept.ts';

export interface HttpRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
  /** Takes what the client should know, also of a request that fails; the server puts it there. */
  readonly warnings?: string[];
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** What a handler answers: an object for JSON, or plain text. */
export interface Answer {
  readonly status: number;
  /** Beside those that all answers have, or instead of them. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object | string;
  /** Texts for `Warning` headers, beside those that the request collected. */
  readonly warnings?: readonly string[];
  /** How `body` is written where the request's `Accept` was weighed already; plainly otherwise. */
  readonly accepted?: Accepted;
}

export const ok = (body: object | string): Answer => ({ status: 200, body });
export const created = (body: object): Answer => ({ status: 201, body });

/** The media type of a `Content-Type` header, without parameters, in lower case; `''` when there is none. */
export const mediaTypeOf = (header: string | undefined): string =>
  (header ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
