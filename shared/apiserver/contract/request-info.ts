/**
 * Parses a request's method and path into the verb and resource that it asks for. Source: apiserver v1.34
 * `endpoints/request/requestinfo.go`.
 */

/** What a request asks for, as it comes. */
interface RequestLine {
  readonly method: string;
  /** The path, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** The verbs of resources. */
export const RESOURCE_VERBS = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
] as const;
/** A verb of resources. */
export type Verb = (typeof RESOURCE_VERBS)[number];

/** A request for a resource. */
export interface ResourceRequest {
  readonly kind: 'resource';
  readonly verb: Verb;
  /** `''` for the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** `''` at the cluster scope. */
  readonly namespace: string;
  /** `''` for a collection. */
  readonly name: string;
}

/** A request for a path that is not a resource, such as `/healthz`. */
export interface PathRequest {
  readonly kind: 'path';
  /** The method in lower case. */
  readonly verb: string;
  readonly path: string;
}

/** What a request asks for. */
export type RequestInfo = ResourceRequest | PathRequest;

const VERBS: Readonly<Record<string, Verb>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/**
 * Whether a boolean parameter is true: any value but `0` and `false` is. Source: apimachinery v1.34
 * `runtime/conversion.go`.
 */
export const isSet = (query: URLSearchParams, parameter: string): boolean => {
  const value = query.get(parameter)?.toLowerCase();
  return value !== undefined && value !== '0' && value !== 'false';
};

const verbOf = (method: string, name: string, query: URLSearchParams): Verb | undefined => {
  const verb = VERBS[method];
  if (name !== '') return verb;
  if (verb === 'get') return isSet(query, 'watch') ? 'watch' : 'list';
  return verb === 'delete' ? 'deletecollection' : verb;
};

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // Not percent-encoded text: no object has such a name.
  }
};

/** The part of a path after `/api/<version>` or `/apis/<group>/<version>`. */
interface ApiPath {
  readonly group: string;
  readonly version: string;
  readonly rest: readonly string[];
  /** Whether the path has the old-style prefix of watches: `/api/v1/watch/nodes`. */
  readonly isWatch: boolean;
}

const withoutPrefix = (rest: readonly string[]): Pick<ApiPath, 'rest' | 'isWatch'> =>
  rest[0] === 'watch' && rest.length > 1 ? { rest: rest.slice(1), isWatch: true } : { rest, isWatch: false };

const apiPathOf = ([root, ...parts]: readonly string[]): ApiPath | undefined => {
  if (root === 'api' && parts.length > 1)
    return { group: '', version: parts[0] ?? '', ...withoutPrefix(parts.slice(1)) };
  if (root === 'apis' && parts.length > 2)
    return { group: parts[0] ?? '', version: parts[1] ?? '', ...withoutPrefix(parts.slice(2)) };
  return undefined;
};

type Target = Pick<ResourceRequest, 'namespace' | 'resource' | 'name' | 'subresource'>;

const isNamespaced = ([first, namespace, resource]: readonly string[]): boolean =>
  first === 'namespaces' &&
  namespace !== undefined &&
  resource !== undefined &&
  !['status', 'finalize'].includes(resource);

const targetOf = (rest: readonly string[]): Target => {
  const namespace = isNamespaced(rest) ? (rest[1] ?? '') : '';
  const [resource = '', name = '', subresource = ''] = isNamespaced(rest) ? rest.slice(2) : rest;
  // A request for a namespace itself is authorized as one within it.
  return { namespace: resource === 'namespaces' ? name : namespace, resource, name, subresource };
};

// A collection narrowed to one name by a field selector counts as a request for that object.
const selectedName = (verb: Verb, name: string, query: URLSearchParams): string =>
  name === '' && verb !== 'create'
    ? (/(?:^|,)metadata\.name==?([^,=\\]+)/.exec(query.get('fieldSelector') ?? '')?.[1] ?? '')
    : name;

/** The resource that the path names, or the path itself if it does not name one. */
export const requestInfoOf = ({ method, path, query }: RequestLine): RequestInfo => {
  // Kubernetes' router refuses paths with an empty part.
  if (path.includes('//')) return { kind: 'path', verb: method.toLowerCase(), path };
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  const root = apiPathOf(parts);
  const target = root && targetOf(root.rest);
  // With the old-style prefix every method means a watch, also DELETE.
  const verb = root?.isWatch ? 'watch' : target && verbOf(method, target.name, query);
  if (!root || !target || !verb) return { kind: 'path', verb: method.toLowerCase(), path };
  const name = selectedName(verb, target.name, query);
  return { kind: 'resource', verb, group: root.group, version: root.version, ...target, name };
};
