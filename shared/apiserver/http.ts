/** Requests and answers as plain values, so that any host can carry them. */

export interface HttpRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
  /** Aborted when the client has gone or the server stops: what still runs for the request ends. */
  readonly signal?: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty where there is a `stream`. */
  readonly body: string | Uint8Array;
  /** An answer that comes in pieces, for as long as the client takes them; the headers go out before the first. */
  readonly stream?: AsyncIterable<string>;
}

/** What a handler answers: an object for JSON, or plain text. */
export interface Answer {
  readonly status: number;
  readonly body: object | string;
  /** Lines of JSON instead of the body. */
  readonly stream?: AsyncIterable<string>;
}

export const ok = (body: object | string): Answer => ({ status: 200, body });
export const streamed = (stream: AsyncIterable<string>): Answer => ({ status: 200, body: '', stream });
export const created = (body: object): Answer => ({ status: 201, body });

/** The media type of a `Content-Type` header, without parameters, in lower case; `''` when there is none. */
export const mediaTypeOf = (header: string | undefined): string =>
  (header ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
