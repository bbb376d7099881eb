/** HTTP requests and responses as plain values, independent of the platform that receives them. */
import type { Duplex } from 'node:stream';
import type { Accepted } from './accepted.ts';
import type { RequestInfo } from './request-info.ts';

/** The value of a YAML body, and its faults for strict decoding. */
export interface Yaml {
  readonly value: unknown;
  readonly faults: readonly string[];
}

/** The two ways to read YAML. */
export interface YamlReaders {
  /** Reads the body of an object. Throws `DecodeError`. */
  readonly readYaml: (text: string) => Yaml;
  /** Reads the configuration of an apply. Throws the errors of the YAML library. */
  readonly parseYaml: (text: string) => unknown;
}

/** Runs work when its turn comes. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** A request without its body. */
export interface RequestHead {
  readonly method: string;
  /** The path, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Headers; names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Warnings for the client, also of a request that fails. The server provides the array; handlers add to it. */
  readonly warnings?: string[];
  /** Aborted when the client disconnects or the server stops: all work for the request must end. */
  readonly signal?: AbortSignal;
  /** Whether the sender's token is still valid, for long-running answers. The server provides it. */
  readonly stillValid?: () => Promise<boolean>;
  /** The client's network address, if the server knows it. */
  readonly address?: string;
  /** Called with the sender's user name as soon as it is known. */
  readonly onSender?: (name: string) => void;
  /** Runs a heavy piece of work that follows after the response has begun, when the request's turn comes. */
  readonly inTurn?: InTurn;
  /** How this server reads YAML; absent if it does not. Requests without YAML do not load the library. */
  readonly yaml?: YamlReaders;
}

/** A request with its whole body. */
export interface HttpRequest extends RequestHead {
  readonly body: Uint8Array;
}

/** A request whose body may not have arrived yet. */
export interface ArrivingRequest extends RequestHead {
  /**
   * The bytes, or how to read them: rejects with a `StatusError` for a body that is too large or too slow, or
   * when too many bodies are being read.
   */
  readonly body: Uint8Array | (() => Promise<Uint8Array>);
}

/** Reads the whole body. Rejects as `body` does. */
export const withBody = async (request: ArrivingRequest): Promise<HttpRequest> => {
  const { body } = request;
  return { ...request, body: typeof body === 'function' ? await body() : body };
};

/**
 * Answers a further request on a connection whose head is, byte for byte, that of the one before; `undefined` leaves it to the
 * ordinary way. The answer has a text as its body, and no stream.
 */
export type Again = (body: Uint8Array) => HttpResponse | undefined;

/** A connection whose protocol is no longer HTTP, and the bytes that came with the request. */
export interface UpgradedClient {
  readonly connection: Duplex;
  readonly head: Uint8Array;
  /** Aborted when the server stops: both ends are to be closed. */
  readonly signal: AbortSignal;
}

/** A response as the platform sends it. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty if `stream` is set. */
  readonly body: string | Uint8Array;
  /** A body sent in pieces, as fast as the client reads them; the headers are sent before the first piece. */
  readonly stream?: AsyncIterable<string>;
  /** How the same request is answered when it comes again. Servers may ignore it. */
  readonly again?: Again | undefined;
  /** As `stream`, for bytes that pass through. */
  readonly bytes?: AsyncIterable<Uint8Array>;
  /** Takes over the connection of a request with `Upgrade`, and sends the head itself. */
  readonly upgrade?: (client: UpgradedClient) => void;
  /** Makes the response, when the turn of the request is over: it waits for others. Rejects with a `StatusError`. */
  readonly later?: () => Promise<HttpResponse>;
  /** What the request asked for, if that was known before it came. */
  readonly info?: RequestInfo;
}

/** What a handler returns: an object for JSON, plain text, or bytes. */
export interface Answer {
  readonly status: number;
  /** Headers that add to or override those of every response. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object | string | Uint8Array;
  /** Texts for `Warning` headers, in addition to those of the request. */
  readonly warnings?: readonly string[];
  /** How `body` is encoded, if the handler has negotiated that; else JSON. */
  readonly accepted?: Accepted;
  /** Lines of JSON that are streamed instead of `body`. */
  readonly stream?: AsyncIterable<string>;
  /** What is answered instead, when the turn of the request is over. */
  readonly later?: HttpResponse['later'];
  /** Work that waits for others than this server, such as nodes. Its answer is sent instead, and others execute meanwhile. */
  readonly awaited?: () => Promise<Answer>;
}

/** A 200 with this body. */
export const ok = (body: object | string): Answer => ({ status: 200, body });
/** A 200 whose body is streamed. */
export const streamed = (stream: AsyncIterable<string>): Answer => ({ status: 200, body: '', stream });
/** The answer of this work, which waits for others than this server. */
export const waitingFor = (awaited: () => Promise<Answer>): Answer => ({ status: 200, body: '', awaited });
/** A 201 with this body. */
export const created = (body: object): Answer => ({ status: 201, body });

/** The media type of a `Content-Type` header, without parameters, in lower case; `''` when there is none. */
export const mediaTypeOf = (header: string | undefined): string =>
  (header ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
