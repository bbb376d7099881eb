/** Requests and answers as plain values, so that any host can carry them. */
import type { Accepted } from './request/accepted.ts';

/** A YAML body's value, and what a strict decoder has against it. */
export interface Yaml {
  readonly value: unknown;
  readonly faults: readonly string[];
}

export interface YamlReaders {
  /** The body of an object. Throws `DecodeError`. */
  readonly readYaml: (text: string) => Yaml;
  /** The configuration of an apply that is no JSON. Throws what the library throws. */
  readonly parseYaml: (text: string) => unknown;
}

/** Runs work when it is its turn. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** What of a request comes before its body. */
export interface RequestHead {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Takes what the client should know, also of a request that fails; the server puts it there. */
  readonly warnings?: string[];
  /** Aborted when the client has gone or the server stops: what still runs for the request ends. */
  readonly signal?: AbortSignal;
  /** Whether the sender's token is still valid, for answers that take long; the server puts it there. */
  readonly stillValid?: () => Promise<boolean>;
  /** The client's network address, where the server sees it. */
  readonly address?: string;
  /** Is told who sends the request as soon as that is known. */
  readonly onSender?: (name: string) => void;
  /** Does a heavy piece of what goes on after the answer has begun, when it is the request's turn. */
  readonly inTurn?: InTurn;
  /** How this server reads YAML, which not every server does; a request without any brings no library along. */
  readonly yaml?: YamlReaders;
}

export interface HttpRequest extends RequestHead {
  readonly body: Uint8Array;
}

/** A request whose body may still be on its way. */
export interface ArrivingRequest extends RequestHead {
  /** The bytes, or how to read them: rejects with a `StatusError` for a body that is too large, too slow or one too many. */
  readonly body: Uint8Array | (() => Promise<Uint8Array>);
}

/** The request with its whole body. Rejects as the reading of its body does. */
export const withBody = async (request: ArrivingRequest): Promise<HttpRequest> => {
  const { body } = request;
  return { ...request, body: typeof body === 'function' ? await body() : body };
};

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty where there is a `stream`. */
  readonly body: string | Uint8Array;
  /** An answer that comes in pieces, for as long as the client takes them; the headers go out before the first. */
  readonly stream?: AsyncIterable<string>;
}

/** What a handler answers: an object for JSON, plain text, or bytes. */
export interface Answer {
  readonly status: number;
  /** Beside those that all answers have, or instead of them. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object | string | Uint8Array;
  /** Texts for `Warning` headers, beside those that the request collected. */
  readonly warnings?: readonly string[];
  /** How `body` is written where the request's `Accept` was weighed already; plainly otherwise. */
  readonly accepted?: Accepted;
  /** Lines of JSON instead of the body. */
  readonly stream?: AsyncIterable<string>;
}

export const ok = (body: object | string): Answer => ({ status: 200, body });
export const streamed = (stream: AsyncIterable<string>): Answer => ({ status: 200, body: '', stream });
export const created = (body: object): Answer => ({ status: 201, body });

/** The media type of a `Content-Type` header, without parameters, in lower case; `''` when there is none. */
export const mediaTypeOf = (header: string | undefined): string =>
  (header ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
