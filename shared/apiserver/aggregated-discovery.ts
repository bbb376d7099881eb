/**
 * All groups of `/api` or `/apis` in one document, for clients that ask for it.
 * Source: apiserver v1.34 `endpoints/discovery/aggregated`.
 */
import { createHash } from 'node:crypto';
import { groupNames, resourcesOf, subresourcesOf, verbNames, versionsOf } from './discovery.ts';
import type { Answer, HttpRequest } from './http.ts';
import { mediaTypeOf } from './http.ts';
import type { Resource, Subresource } from './resource.ts';

const MEDIA_TYPE = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const parametersOf = (clause: string): ReadonlyMap<string, string> =>
  new Map(
    clause
      .split(';')
      .slice(1)
      .map((one) => one.trim().split('='))
      .map(([name = '', value = '']) => [name, value]),
  );

const isAggregated = (clause: string): boolean => {
  const parameters = parametersOf(clause);
  return (
    ['application/json', 'application/*', '*/*'].includes(mediaTypeOf(clause)) &&
    parameters.get('g') === 'apidiscovery.k8s.io' &&
    parameters.get('v') === 'v2' &&
    parameters.get('as') === 'APIGroupDiscoveryList'
  );
};

const isPlain = (clause: string): boolean =>
  ['application/json', '*/*'].includes(mediaTypeOf(clause)) && !parametersOf(clause).has('as');

// The first clause that can be answered decides.
const wantsAggregated = ({ headers }: HttpRequest): boolean => {
  const clauses = (headers['accept'] ?? '').split(',');
  const chosen = clauses.find((clause) => isAggregated(clause) || isPlain(clause));
  return chosen !== undefined && isAggregated(chosen);
};

// The group of a kind is told only where it is not the resource's own.
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

/** The aggregated document, or 304 for who has it already; `undefined` where it is not asked for. */
export const aggregatedDiscovery = (
  request: HttpRequest,
  resources: readonly Resource[],
): Answer | undefined => {
  const isServed = groupsAt(request.path);
  if (!isServed || !wantsAggregated(request)) return undefined;
  const groups = groupNames(resources).filter(isServed);
  const body = {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map((name) => groupEntry(resources, name)),
  };
  const etag = etagOf(body);
  const headers = { 'content-type': MEDIA_TYPE, vary: 'Accept', etag };
  return request.headers['if-none-match'] === etag
    ? { status: 304, headers, body: '' }
    : { status: 200, headers, body };
};
