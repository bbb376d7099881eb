/** Encodes responses as JSON, YAML or text, compressed if they are large and the client accepts that. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Status } from '../../kube/errors/status-error.ts';
import { type Accepted, JSON_TYPE, YAML_TYPE } from '../contract/accepted.ts';
import type { Answer, HttpResponse, RequestHead } from '../contract/http.ts';
import { ITEMS_AT_ONCE, mapInTurns, type Pause } from '../contract/in-turns.ts';
import { plainlyAccepted } from '../request/accept.ts';

/** Bytes from which a response is compressed. Kubernetes: 128 KiB. */
const GZIP_FROM = 131_072;
/** Half the processor time of the default, and an eighth more bytes. Source: apiserver v1.37 `responsewriters/compression.go`. */
const GZIP_LEVEL = 1;
const BYTES_TYPE = 'application/octet-stream';
const TEXT_TYPE = 'text/plain; charset=utf-8';

/**
 * The `WWW-Authenticate` header of RFC 6750. It carries a hint even if the body is Kubernetes' bare
 * `Unauthorized`.
 */
const CHALLENGE =
  'Bearer realm="rollcall", error="invalid_token", error_description="send a token made by: npx rollcall token"';

interface LongList {
  readonly name: string;
  readonly items: readonly unknown[];
}

/** An empty list at the end of an object, as plain and as indented JSON. */
const PLAIN_END = '[]}';
const PRETTY_END = '[]\n}';

const compress = promisify(gzip);

const acceptsGzip = ({ headers }: RequestHead): boolean =>
  (headers['accept-encoding'] ?? '').split(',').some((one) => {
    const [coding = '', weight = ''] = one.split(';').map((part) => part.trim());
    return coding === 'gzip' && !/^q=0(\.0*)?$/.test(weight);
  });

const baseHeaders = (type: string): Record<string, string> => ({
  'content-type': type,
  'cache-control': 'no-cache, private',
});

/**
 * User agents that get indented JSON because a human reads it. Source: apiserver v1.34
 * `endpoints/handlers/responsewriters`.
 */
const READERS = ['curl', 'Wget', 'Mozilla/5.0'];

const isPretty = ({ query, headers }: RequestHead, accepted: Accepted): boolean => {
  const asked = query.get('pretty');
  if (asked) return ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(asked);
  return accepted.isPretty || READERS.some((reader) => (headers['user-agent'] ?? '').startsWith(reader));
};

/** Serializes a body as YAML, with pauses if it is large. A server without it responds in JSON. */
export type WriteYaml = (body: object, pause?: Pause) => Promise<string>;

interface Written {
  readonly type: string;
  readonly text: string;
}

/** The last member of a list or Table, if it is a list that is long enough to be written in parts. */
const longListOf = (body: object): LongList | undefined => {
  const [name, items] = (Object.entries(body) as [string, unknown][]).at(-1) ?? [];
  return name !== undefined && Array.isArray(items) && items.length > ITEMS_AT_ONCE
    ? { name, items }
    : undefined;
};

const itemText = (item: unknown, isPretty: boolean): string =>
  isPretty ? `\n    ${JSON.stringify(item, null, 2).replaceAll('\n', '\n    ')}` : JSON.stringify(item);

/** The JSON text of a body, indented by two blanks if it `isPretty`. A long list is written in parts. */
const toJson = async (body: object, isPretty: boolean, pause?: Pause): Promise<string> => {
  const write = (value: object): string => JSON.stringify(value, null, isPretty ? 2 : 0);
  const list = pause && longListOf(body);
  if (!list) return write(body);
  const texts = await mapInTurns(list.items, pause, (item) => itemText(item, isPretty));
  const end = isPretty ? PRETTY_END : PLAIN_END;
  const start = write({ ...body, [list.name]: [] }).slice(0, -end.length);
  return isPretty ? `${start}[${texts.join(',')}\n  ]\n}` : `${start}[${texts.join(',')}]}`;
};

const written = async (
  request: RequestHead,
  body: object,
  accepted: Accepted,
  toYaml?: WriteYaml,
  pause?: Pause,
): Promise<Written> => {
  if (toYaml && accepted.contentType === YAML_TYPE)
    return { type: YAML_TYPE, text: await toYaml(body, pause) };
  // Go's encoder ends with a new line, its indenting one does not.
  const pretty = isPretty(request, accepted);
  const text = await toJson(body, pretty, pause);
  return { type: JSON_TYPE, text: pretty ? text : `${text}\n` };
};

const withEncoding = (vary: string | undefined): string =>
  vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`;

/** The response for a small answer to a client that wants plain JSON. */
export const encodePlainly = ({ status, headers, body }: Answer): HttpResponse => ({
  status,
  headers: { ...baseHeaders(JSON_TYPE), ...headers },
  body: `${JSON.stringify(body)}\n`,
});

/** The response for an answer; `HEAD` gets no body. A long list is written with pauses. */
export const encodeAnswer = async (
  request: RequestHead,
  answer: Answer,
  toYaml?: WriteYaml,
  pause?: Pause,
): Promise<HttpResponse> => {
  const { status, body, stream, later, accepted = plainlyAccepted(request) } = answer;
  if (later) return { status, headers: {}, body: '', later };
  if (stream) return { status, headers: baseHeaders(JSON_TYPE), body: '', stream };
  if (body instanceof Uint8Array)
    return { status, headers: { ...baseHeaders(BYTES_TYPE), ...answer.headers }, body };
  const { type, text } =
    typeof body === 'string'
      ? { type: TEXT_TYPE, text: body }
      : await written(request, body, accepted, toYaml, pause);
  const headers: Readonly<Record<string, string>> = { ...baseHeaders(type), ...answer.headers };
  if (request.method === 'HEAD') return { status, headers, body: '' };
  if (text.length < GZIP_FROM || !acceptsGzip(request)) return { status, headers, body: text };
  return {
    status,
    headers: { ...headers, 'content-encoding': 'gzip', vary: withEncoding(headers['vary']) },
    body: await compress(text, { level: GZIP_LEVEL }),
  };
};

/**
 * The HTTP response for an error, never a Table: with `Retry-After` if the client should retry, and with a
 * challenge on 401.
 */
export const encodeStatus = async (
  request: RequestHead,
  status: Status,
  toYaml?: WriteYaml,
): Promise<HttpResponse> => {
  const seconds = status.details?.retryAfterSeconds;
  const { type, text } = await written(request, status, plainlyAccepted(request), toYaml);
  return {
    status: status.code,
    headers: {
      ...baseHeaders(type),
      ...(seconds === undefined ? {} : { 'retry-after': String(seconds) }),
      ...(status.code === 401 ? { 'www-authenticate': CHALLENGE } : {}),
    },
    body: request.method === 'HEAD' ? '' : text,
  };
};
