import { methodNotAllowed, noSuchPath } from '../kube/errors/status-error.ts';
import { ownMember } from '../kube/json/own-member.ts';
import { withoutExpired } from '../store/commit/expired.ts';
import type { WriteYaml } from './answer/encode.ts';
import { representationOf, represented } from './answer/representation.ts';
import { API_BODY_LIMIT, checkBodySize } from './body/body.ts';
import { withYaml } from './body/yaml-readers.ts';
import type { Call, Handle } from './contract/call.ts';
import type { ApiServerDeps } from './contract/deps.ts';
import type { Answer, HttpRequest } from './contract/http.ts';
import { ok } from './contract/http.ts';
import type { RequestInfo, ResourceRequest } from './contract/request-info.ts';
import { requestInfoOf } from './contract/request-info.ts';
import type { Resource, Verbs } from './contract/resource.ts';
import { answerDiscovery } from './discovery/discovery-answer.ts';
import { healthText } from './discovery/health.ts';
import { beatHandle } from './leases/beat-handles.ts';
import { createNamespaceBirth } from './namespaces/built-in-namespaces.ts';
import { bearDefaults, restoreDefaults } from './namespaces/default-objects.ts';
import type { OpenApi } from './openapi/serve-openapi.ts';
import { RESOURCES } from './resources/resources.ts';
import type { Route, Serve } from './serve.ts';
import { createServe } from './serve.ts';

let openApi: OpenApi | undefined;

/** Loaded on the first request for it: its descriptions of all fields are large, and few clients ask. */
const answerOpenApi = async (request: HttpRequest): Promise<Answer | undefined> => {
  if (!request.path.startsWith('/openapi/')) return undefined;
  openApi ??= (await import('./openapi/serve-openapi.ts')).createOpenApi(RESOURCES);
  return openApi.answer(request);
};

const toYaml: WriteYaml = async (body, pause) =>
  (await import('./answer/yaml-answer.ts')).toYaml(body, pause);

const NOT_FOUND: Answer = { status: 404, body: '404 page not found\n' };

const resourceOf = ({ group, version, resource }: ResourceRequest): Resource | undefined =>
  RESOURCES.find((row) => row.resource === resource && row.group === group && row.version === version);

const verbsOf = (info: ResourceRequest): Verbs | undefined => {
  const resource = resourceOf(info);
  return info.subresource === ''
    ? resource?.verbs
    : ownMember(resource?.subresources, info.subresource)?.verbs;
};

// Whether a verb fits the place: collections and members take different verbs; a namespaced collection is created
// in and emptied within a namespace.
const acceptsMethod = (
  { verb, name, namespace, subresource }: ResourceRequest,
  { namespaced }: Resource,
): boolean => {
  if (verb === 'create')
    return subresource === '' ? name === '' && (!namespaced || namespace !== '') : name !== '';
  if (verb === 'deletecollection') return !namespaced || namespace !== '';
  return verb === 'list' || verb === 'watch' || name !== '';
};

const COLLECTION_VERBS: readonly string[] = ['list', 'watch', 'create', 'deletecollection'];

// Whether the scope is right: members of a namespaced resource need a namespace, those of a cluster-scoped one
// must have none.
const isScopeValid = (
  { verb, resource, namespace, subresource }: ResourceRequest,
  { namespaced }: Resource,
) => {
  if (!namespaced) return namespace === '' || resource === 'namespaces';
  return namespace !== '' || (COLLECTION_VERBS.includes(verb) && subresource === '');
};

const handleOf = (method: string, info: ResourceRequest): Handle<ApiServerDeps> => {
  const [resource, verbs] = [resourceOf(info), verbsOf(info)];
  // Subresources cannot be watched: an old-style watch path that ends in one does not exist.
  const isWatchedPart = info.verb === 'watch' && info.subresource !== '';
  if (!resource || !verbs || !isScopeValid(info, resource) || isWatchedPart) throw noSuchPath();
  const handle = verbs[info.verb];
  const isRead = ['get', 'list', 'watch'].includes(info.verb);
  if (!handle || (isRead && method !== 'GET') || !acceptsMethod(info, resource))
    throw methodNotAllowed(resource.refusal);
  return handle;
};

// Unknown paths under /api or a served /apis group get the API's own 404; others get the plain-text 404.
const isRouted = (path: string): boolean => {
  const [root, group] = path.split('/').filter((part) => part !== '');
  return (
    root === 'api' || root === 'version' || (root === 'apis' && RESOURCES.some((row) => row.group === group))
  );
};

const isServed = (info: RequestInfo): boolean => {
  if (info.kind !== 'resource') return false;
  const resource = resourceOf(info);
  return resource !== undefined && verbsOf(info) !== undefined && isScopeValid(info, resource);
};

/** Kubernetes has the public keys of its tokens there. */
const KEYS_PATH = '/openid/v1/jwks';

const answerKeys = async (
  { method, query }: HttpRequest,
  { signingKeys }: ApiServerDeps,
): Promise<Answer> => {
  if (method !== 'GET') throw methodNotAllowed();
  const { sessionKeySet } = await import('./sessions/session-token.ts');
  return ok(await sessionKeySet(signingKeys, query.get('kid')));
};

const answerPath = async (request: HttpRequest, deps: ApiServerDeps): Promise<Answer> => {
  if (request.path === KEYS_PATH) return answerKeys(request, deps);
  if (request.path.includes('//')) {
    if (isRouted(request.path)) throw noSuchPath();
    return NOT_FOUND;
  }
  const health = healthText(request.path, request.query);
  if (health !== undefined) return ok(health);
  const openApiAnswer = await answerOpenApi(request);
  if (openApiAnswer && request.method !== 'GET') throw methodNotAllowed();
  const answer = openApiAnswer ?? answerDiscovery(request, RESOURCES);
  if (answer) return answer;
  // A method that no resource has, such as OPTIONS.
  if (isServed(requestInfoOf({ ...request, method: 'GET' }))) throw methodNotAllowed();
  if (isRouted(request.path)) throw noSuchPath();
  return NOT_FOUND;
};

// The sender of a request for a namespace is authorized within it, but the object itself is cluster-scoped.
const withCollectionScope = (call: Call): Call => {
  const isClusterWide = resourceOf(call.info)?.namespaced === false;
  return isClusterWide ? { ...call, info: { ...call.info, namespace: '' } } : call;
};

const answerResource = async (call: Call, deps: ApiServerDeps): Promise<Answer> => {
  const { request, info } = call;
  if (info.group !== '' && !RESOURCES.some(({ group }) => group === info.group)) return NOT_FOUND;
  const handle = handleOf(request.method, info);
  const representation = await representationOf(request, info, deps);
  checkBodySize(request, API_BODY_LIMIT);
  await bearDefaults(call, deps);
  const answer = await handle(
    { ...withCollectionScope(call), request: await withYaml(request), representation },
    deps,
  );
  await restoreDefaults(call, answer, deps);
  const { awaited } = answer;
  return awaited
    ? { ...answer, awaited: async () => represented(await awaited(), representation) }
    : represented(answer, representation);
};

/** Creates the whole API server: discovery, OpenAPI, resources, heartbeats, tokens. */
export const createApiServer = (given: ApiServerDeps): Serve => {
  const deps = { ...given, objects: withoutExpired(given.objects, given.clock) };
  const bearNamespaces = createNamespaceBirth(deps);
  const route: Route = async (request, info, user) => {
    if (info.kind === 'path') return answerPath(request, deps);
    if (info.resource === 'namespaces') await bearNamespaces();
    return answerResource({ request, info, user }, deps);
  };
  return createServe(route, deps, toYaml, beatHandle);
};
