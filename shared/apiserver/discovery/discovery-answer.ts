/**
 * Answers requests for discovery documents. Source: apiserver v1.34 `endpoints/discovery`, kube-aggregator
 * `handler_apis.go`.
 */
import { methodNotAllowed } from '../../kube/errors/status-error.ts';
import type { Accepted } from '../contract/accepted.ts';
import { JSON_TYPE } from '../contract/accepted.ts';
import type { Answer, HttpRequest } from '../contract/http.ts';
import { ok } from '../contract/http.ts';
import type { Resource } from '../contract/resource.ts';
import { negotiateDocument, negotiatePath } from '../request/accept.ts';
import { aggregatedDiscovery } from './aggregated-discovery.ts';
import { discoveryDocument, groupNames, versionsOf } from './discovery.ts';

const INDENTED: Accepted = { contentType: JSON_TYPE, isPretty: true };

const ENDPOINTS = ['/openapi/v2', '/openapi/v3', '/version'];
const PROBES = ['healthz', 'livez', 'readyz'].flatMap((probe) => [`/${probe}`, `/${probe}/ping`]);

const pathsOf = (resources: readonly Resource[]): readonly string[] => {
  const groups = groupNames(resources).filter((name) => name !== '');
  const versions = groups.flatMap((name) =>
    versionsOf(resources, name).map((version) => `/apis/${name}/${version}`),
  );
  const documents = ['/api', '/api/v1', '/apis', '/apis/', ...groups.map((name) => `/apis/${name}`)];
  return [...documents, ...versions, ...ENDPOINTS, ...PROBES].toSorted();
};

const answerVersion = (request: HttpRequest, document: object): Answer => {
  negotiatePath(request, [JSON_TYPE]);
  return { ...ok(document), accepted: INDENTED };
};

// In Kubernetes the aggregator, which ignores the method, answers the list of groups and each single group.
const isAggregators = (parts: readonly string[]): boolean => parts[0] === 'apis' && parts.length <= 2;

/** The answer at a discovery path, at `/version` or at `/`; `undefined` for other paths. Throws 405 and 406. */
export const answerDiscovery = (request: HttpRequest, resources: readonly Resource[]): Answer | undefined => {
  if (request.path === '/' || request.path === '/index.html')
    return { ...ok({ paths: pathsOf(resources) }), accepted: INDENTED };
  const document = discoveryDocument(request, resources);
  if (!document) return undefined;
  const parts = request.path.split('/').filter((part) => part !== '');
  const isRouted = !isAggregators(parts);
  if (isRouted && request.method !== 'GET') throw methodNotAllowed();
  if (parts[0] === 'version') return answerVersion(request, document);
  const aggregated = aggregatedDiscovery(request, resources);
  return aggregated ?? { ...ok(document), accepted: negotiateDocument(request, isRouted) };
};
