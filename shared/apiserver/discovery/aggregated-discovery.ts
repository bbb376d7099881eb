/**
 * All groups of `/api` or `/apis` in one document, for clients that request it. Source: apiserver v1.34
 * `endpoints/discovery/aggregated`.
 */
import { createHash } from 'node:crypto';
import type { ContentType } from '../contract/accepted.ts';
import { JSON_TYPE, PROTOBUF_TYPE, YAML_TYPE } from '../contract/accepted.ts';
import type { Answer, HttpRequest } from '../contract/http.ts';
import type { Resource, Subresource } from '../contract/resource.ts';
import type { Clause } from '../request/accept.ts';
import { clausesOf, matches } from '../request/accept.ts';
import { groupNames, resourcesOf, subresourcesOf, verbNames, versionsOf } from './discovery.ts';

const PARAMETERS = ';g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** A client that asks for protobuf is answered in JSON. */
const MEDIA_TYPES = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE];

const isAggregated = (clause: Clause): boolean =>
  clause.parameters.get('g') === 'apidiscovery.k8s.io' &&
  clause.parameters.get('v') === 'v2' &&
  clause.parameters.get('as') === 'APIGroupDiscoveryList' &&
  MEDIA_TYPES.some((mediaType) => matches(clause, mediaType));

// The aggregated type may be anywhere in `Accept`: other types besides it are ignored.
const aggregatedType = ({ headers }: HttpRequest): ContentType | undefined => {
  const clause = clausesOf(headers['accept'] ?? '').find(isAggregated);
  if (!clause) return undefined;
  return clause.subtype === 'yaml' ? YAML_TYPE : JSON_TYPE;
};

// The group of a kind is given only if it differs from the resource's own.
const responseKind = ({
  group = '',
  version = '',
  kind,
}: Pick<Subresource, 'group' | 'version' | 'kind'>) => ({
  group,
  version,
  kind,
});

const subresourceEntry = ([subresource, served]: readonly [string, Subresource]): object => ({
  subresource,
  responseKind: responseKind(served),
  verbs: verbNames(served.verbs),
});

const resourceEntry = (resource: Resource): object => {
  const { kind, namespaced, singular, shortNames, categories } = resource;
  const subresources = subresourcesOf(resource).map(subresourceEntry);
  const verbs = verbNames(resource.verbs);
  return {
    resource: resource.resource,
    ...(verbs.length === 0 ? {} : { responseKind: responseKind({ kind }) }),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames ? { shortNames } : {}),
    ...(categories ? { categories } : {}),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
};

const groupEntry = (resources: readonly Resource[], name: string): object => ({
  metadata: name === '' ? {} : { name },
  versions: versionsOf(resources, name).map((version) => ({
    version,
    resources: resourcesOf(resources, name, version).map(resourceEntry),
    freshness: 'Current',
  })),
});

const groupsAt = (path: string): ((group: string) => boolean) | undefined => {
  const [root, ...rest] = path.split('/').filter((part) => part !== '');
  if (rest.length > 0) return undefined;
  if (root === 'api') return (group) => group === '';
  return root === 'apis' ? (group) => group !== '' : undefined;
};

const etagOf = (body: object): string =>
  `"${createHash('sha512').update(JSON.stringify(body)).digest('hex').toUpperCase()}"`;

/** The aggregated document, or 304 for a client that has it already; `undefined` if it is not requested. */
export const aggregatedDiscovery = (
  request: HttpRequest,
  resources: readonly Resource[],
): Answer | undefined => {
  const isServed = groupsAt(request.path);
  const contentType = aggregatedType(request);
  if (!isServed || !contentType) return undefined;
  const groups = groupNames(resources).filter(isServed);
  const body = {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map((name) => groupEntry(resources, name)),
  };
  const etag = etagOf(body);
  const headers = { 'content-type': `${contentType}${PARAMETERS}`, vary: 'Accept', etag };
  return request.headers['if-none-match'] === etag
    ? { status: 304, headers, body: '' }
    : { status: 200, headers, body, accepted: { contentType, isPretty: false } };
};
