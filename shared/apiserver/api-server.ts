import { methodNotAllowed, noSuchPath } from '../api/status-error.ts';
import { API_BODY_LIMIT, checkBodySize } from './body.ts';
import type { Call, Handle } from './call.ts';
import type { ApiServerDeps } from './deps.ts';
import { discoveryDocument } from './discovery.ts';
import { checkAccept } from './encode.ts';
import { healthText } from './health.ts';
import type { Answer, HttpRequest } from './http.ts';
import { ok } from './http.ts';
import type { RequestInfo, ResourceRequest } from './request-info.ts';
import type { Resource, Verbs } from './resources.ts';
import { RESOURCES } from './resources.ts';
import type { Serve } from './serve.ts';
import { createServe } from './serve.ts';
import { readYaml } from './yaml.ts';

const NOT_FOUND: Answer = { status: 404, body: '404 page not found\n' };

const resourceOf = ({ group, version, resource }: ResourceRequest): Resource | undefined =>
  RESOURCES.find((row) => row.resource === resource && row.group === group && row.version === version);

const verbsOf = (info: ResourceRequest): Verbs | undefined => {
  const resource = resourceOf(info);
  return info.subresource === '' ? resource?.verbs : resource?.subresources[info.subresource]?.verbs;
};

// A collection and its members take different methods; a namespaced collection takes a POST only within a namespace.
const fits = ({ verb, name, namespace, subresource }: ResourceRequest, { namespaced }: Resource): boolean => {
  if (verb === 'create')
    return subresource === '' ? name === '' && (!namespaced || namespace !== '') : name !== '';
  return verb === 'list' || verb === 'watch' || verb === 'deletecollection' || name !== '';
};

const handleOf = (method: string, info: ResourceRequest): Handle<ApiServerDeps> => {
  const [resource, verbs] = [resourceOf(info), verbsOf(info)];
  if (!resource || !verbs) throw noSuchPath();
  if (info.verb === 'watch')
    throw methodNotAllowed(
      'watches are not served; list again, with the resourceVersion unset, to see changes',
    );
  const handle = verbs[info.verb];
  if (!handle || method === 'HEAD' || !fits(info, resource)) throw methodNotAllowed();
  return handle;
};

const hasGroup = (path: string): boolean => {
  const [root, group] = path.split('/').filter((part) => part !== '');
  return root === 'api' || (root === 'apis' && RESOURCES.some((row) => row.group === group));
};

const answerPath = (request: HttpRequest): Answer => {
  const health = healthText(request.path, request.query);
  if (health !== undefined) return ok(health);
  const document = discoveryDocument(request, RESOURCES);
  if (document) return ok(document);
  if (hasGroup(request.path)) throw noSuchPath();
  return NOT_FOUND;
};

const answerResource = async (call: Call, deps: ApiServerDeps): Promise<Answer> => {
  const { request, info } = call;
  if (info.group !== '' && !RESOURCES.some(({ group }) => group === info.group)) return NOT_FOUND;
  const handle = handleOf(request.method, info);
  checkAccept(request);
  checkBodySize(request, API_BODY_LIMIT);
  return handle(call, deps);
};

/** The whole API: discovery, resources, heartbeats, tokens. */
export const createApiServer = (deps: ApiServerDeps): Serve =>
  createServe(
    async (request, info: RequestInfo, user) =>
      info.kind === 'path'
        ? answerPath(request)
        : answerResource({ request: { ...request, readYaml }, info, user }, deps),
    deps,
  );
