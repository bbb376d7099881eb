/** Requests that cost more than they should, each of any size. */

export interface AbusiveRequest {
  readonly method: string;
  /** Path and query, as they go on the wire. */
  readonly path: string;
  /** Names in lower case; the sender adds `authorization`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export interface Abuse {
  readonly name: string;
  /** The size at which the request is as large as a server takes it: 3 MB of body, 60 kB of headers or URL. */
  readonly largest: number;
  /** The size from which on work is counted, where small requests are treated otherwise; 100 unless told. */
  readonly smallest?: number;
  /** Sent first, by an administrator; 409 means that it is there already. */
  readonly before?: (size: number) => readonly AbusiveRequest[];
  readonly request: (size: number) => AbusiveRequest;
}

export const JSON_TYPE = 'application/json';
export const YAML_TYPE = 'application/yaml';
export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';
export const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';
export const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
export const APPLY_PATCH = 'application/apply-patch+yaml';

export const NODES = '/api/v1/nodes';
export const PODS = '/api/v1/namespaces/default/pods';
export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
export const ACCESS_REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

export const asText = (value: unknown): string => JSON.stringify(value);

export const get = (path: string, headers: Readonly<Record<string, string>> = {}): AbusiveRequest => ({
  method: 'GET',
  path,
  headers,
  body: '',
});

export const post = (path: string, body: unknown): AbusiveRequest => ({
  method: 'POST',
  path,
  headers: { 'content-type': JSON_TYPE },
  body: asText(body),
});

/** A body that is sent as it is. */
export const raw = (
  method: string,
  path: string,
  type: string,
  body: string | Uint8Array,
): AbusiveRequest => ({
  method,
  path,
  headers: { 'content-type': type },
  body,
});

export const patch = (path: string, type: string, body: unknown): AbusiveRequest =>
  raw('PATCH', path, type, asText(body));

export const times = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));

export const members = (count: number, make: (index: number) => readonly [string, unknown]): object =>
  Object.fromEntries(times(count, make));

/** `open` and `close` so many times around `core`. */
export const nested = (count: number, open: string, core: string, close: string): string =>
  `${open.repeat(count)}${core}${close.repeat(count)}`;

export const node = (name: string, rest: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  ...rest,
});

export const pod = (name: string, spec: object, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

export const configMap = (name: string, rest: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  ...rest,
});
