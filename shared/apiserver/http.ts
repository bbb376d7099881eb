/** Requests and answers as plain values, so that any host can carry them. */

/** A YAML body's value, and what a strict decoder has against it. */
export interface Yaml {
  readonly value: unknown;
  readonly faults: readonly string[];
}

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
  /** How this server reads YAML, which not every server does. Throws `DecodeError`. */
  readonly readYaml?: (text: string) => Yaml;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** What a handler answers: an object for JSON, or plain text. */
export interface Answer {
  readonly status: number;
  readonly body: object | string;
  /** Texts for `Warning` headers, beside those that the request collected. */
  readonly warnings?: readonly string[];
}

export const ok = (body: object | string): Answer => ({ status: 200, body });
export const created = (body: object): Answer => ({ status: 201, body });

/** The media type of a `Content-Type` header, without parameters, in lower case; `''` when there is none. */
export const mediaTypeOf = (header: string | undefined): string =>
  (header ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
