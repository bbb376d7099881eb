/** POST to a node's `work`: statuses of its pods, and pods that have ended and may go. Each is answered by itself. */

import { podStrategy } from '../../kinds/pods/pods.ts';
import { badRequest, conflict, StatusError } from '../../kube/errors/status-error.ts';
import type { Pod } from '../../kube/types/core.ts';
import { liveRow } from '../../ports/store/rows.ts';
import { inParallel } from '../../store/turns/in-parallel.ts';
import { accessFacts } from '../access/access-facts.ts';
import { authorize } from '../access/authorization.ts';
import { checkMediaType, parseJson } from '../body/body.ts';
import type { Call, Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { ok } from '../contract/http.ts';
import type { ResourceRequest } from '../contract/request-info.ts';
import { deleteVerb } from '../verbs/delete.ts';
import { patchVerb } from '../verbs/patch.ts';
import { type Confirmation, readConfirmations } from './confirmations.ts';

/** Pods that are written at the same time. */
const CONCURRENCY = 8;

const PATCH = patchVerb<Pod>(podStrategy);
const DELETE = deleteVerb<Pod>(podStrategy);
const STRATEGIC = 'application/strategic-merge-patch+json';

type PodRequest = Pick<ResourceRequest, 'verb' | 'subresource'>;

/** The call as if the client had sent this one request for the pod. */
const callFor = (
  { request, user }: Call,
  { namespace, name }: Confirmation,
  info: PodRequest,
  mediaType: string,
  body: object,
): Call => ({
  user,
  info: { ...info, kind: 'resource', group: '', version: 'v1', resource: 'pods', namespace, name },
  request: {
    ...request,
    method: info.verb === 'patch' ? 'PATCH' : 'DELETE',
    path: `/api/v1/namespaces/${namespace}/pods/${name}${info.subresource === '' ? '' : `/${info.subresource}`}`,
    query: new URLSearchParams(),
    headers: { ...request.headers, 'content-type': mediaType },
    body: new TextEncoder().encode(JSON.stringify(body)),
  },
});

const send = async (handle: Handle<ApiServerDeps>, call: Call, deps: ApiServerDeps): Promise<number> => {
  await authorize(call.user, call.info, accessFacts(deps, ''));
  return (await handle(call, deps)).status;
};

/** A machine may end only what is being deleted. Throws 409; a pod that is not there is left to the deletion, which says so. */
const checkDeletion = async (
  { objects }: ApiServerDeps,
  { namespace, name }: Confirmation,
): Promise<void> => {
  const row = liveRow(await objects.read({ resource: 'pods', namespace, name }));
  if (row && row.object.metadata.deletionTimestamp === undefined)
    throw conflict({ resource: 'pods', name }, 'the pod is not being deleted: report its status instead');
};

/** The status first, so that a pod goes with its last state. */
const confirm = async (call: Call, deps: ApiServerDeps, one: Confirmation): Promise<number> => {
  let code = 200;
  const status: PodRequest = { verb: 'patch', subresource: 'status' };
  const deletion: PodRequest = { verb: 'delete', subresource: '' };
  if (one.status !== undefined) {
    const patch = { metadata: { uid: one.uid }, status: one.status };
    code = await send(PATCH, callFor(call, one, status, STRATEGIC, patch), deps);
  }
  if (one.gone) {
    await checkDeletion(deps, one);
    const options = { gracePeriodSeconds: 0, preconditions: { uid: one.uid } };
    code = await send(DELETE, callFor(call, one, deletion, 'application/json', options), deps);
  }
  return code;
};

/** An error that is not the client's ends the whole request: the client sends it again. */
const answerTo = async (call: Call, deps: ApiServerDeps, one: Confirmation) => {
  const { namespace, name, uid } = one;
  try {
    return { namespace, name, uid, code: await confirm(call, deps, one) };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { code, reason, message } = error.toStatus();
    return { namespace, name, uid, code, reason, message };
  }
};

/**
 * Answers 200 with a `code` for each pod, as if it had been a request of its own. Throws 400, and 403 for a user who is neither the node
 * nor an administrator.
 */
export const confirmWork: Handle<ApiServerDeps> = async (call, deps) => {
  checkMediaType(call.request, 'application/json');
  const body = parseJson(call.request.body, (complaint) =>
    badRequest(`the NodeWorkReport is not JSON: ${complaint}`),
  );
  const items = await inParallel(readConfirmations(body), CONCURRENCY, (one) => answerTo(call, deps, one));
  return ok({
    kind: 'NodeWorkReceipt',
    apiVersion: 'rollcall.dev/v1',
    metadata: { name: call.info.name },
    items,
  });
};
