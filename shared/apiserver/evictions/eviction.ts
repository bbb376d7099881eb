/**
 * POST to a pod's `eviction`: a deletion that the pod's budget may refuse. Source: kubernetes v1.34
 * registry/core/pod/storage `eviction.go`.
 */

import { inNamespace } from '../../kinds/contract/names.ts';
import type { ServedKind } from '../../kinds/contract/strategy.ts';
import { budgetsIn, grantEviction } from '../../kinds/evictions/grant-eviction.ts';
import { badRequest, conflict, notFound, StatusError } from '../../kube/errors/status-error.ts';
import { kindSchema } from '../../kube/schema/schema-of.ts';
import type { Pod } from '../../kube/types/core.ts';
import type { Eviction } from '../../kube/types/policy.ts';
import { optional } from '../../kube/values/optional.ts';
import { ignoresBudgets } from '../../rules/budgets/eviction-verdict.ts';
import { readObject } from '../body/body.ts';
import type { Call, Handle } from '../contract/call.ts';
import { subjectOf } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { Answer, HttpRequest } from '../contract/http.ts';
import { created } from '../contract/http.ts';
import { unheldTarget } from '../holds/held-evictions.ts';
import { checkDeleteOptions, isDryRun } from '../request/options.ts';
import { keyOf } from '../verbs/create.ts';
import type { EvictionRequest } from './evicted-pod.ts';
import { checkEvictable, evictPod } from './evicted-pod.ts';

const EVICTION_KIND: ServedKind = {
  group: 'policy',
  version: 'v1',
  kind: 'Eviction',
  resource: 'pods',
  namespaced: true,
};
const SCHEMA = kindSchema('policy.v1.Eviction');
const BETA = 'v1beta1';

/** Clients up to 1.21 send the beta version whatever discovery lists; both versions have the same fields. */
const readEviction = (request: HttpRequest): Eviction => {
  try {
    return readObject<Eviction>(request, EVICTION_KIND, SCHEMA);
  } catch (error) {
    if (!(error instanceof StatusError && error.message.includes(`(${EVICTION_KIND.group}/${BETA})`)))
      throw error;
    return readObject<Eviction>(request, { ...EVICTION_KIND, version: BETA }, SCHEMA);
  }
};

/**
 * Whether the query or the body asks for a dry run. Throws 400 if they contradict each other, 422 for other
 * values.
 */
const isTrial = ({ request }: Call, { deleteOptions }: Eviction): boolean => {
  const inQuery = isDryRun(request, 'CreateOptions');
  const [asked, given] = [request.query.getAll('dryRun'), deleteOptions?.dryRun ?? []];
  checkDeleteOptions(deleteOptions ?? {});
  const inBody = given.length > 0;
  if (inQuery && inBody && asked.length !== given.length)
    throw badRequest(
      `Non-matching dry-run options in request and content: [${asked.join(' ')}] and [${given.join(' ')}]`,
    );
  return inQuery || inBody;
};

const readRequest = (call: Call): EvictionRequest => {
  const eviction = inNamespace(readEviction(call.request), call.info.namespace);
  if (eviction.metadata.name !== call.info.name)
    throw badRequest('name in URL does not match name in Eviction object');
  const { gracePeriodSeconds: grace, preconditions = {} } = eviction.deleteOptions ?? {};
  return {
    call,
    dryRun: isTrial(call, eviction),
    preconditions,
    ...optional('gracePeriodSeconds', grace),
  };
};

const readPod = async (request: EvictionRequest, deps: ApiServerDeps): Promise<Pod> => {
  const row = await deps.objects.read(keyOf(request.call));
  if (row?.state !== 'live') throw notFound(subjectOf(request.call));
  const pod = row.object as Pod;
  checkEvictable(request, pod);
  return pod;
};

const STATUS = { kind: 'Status', apiVersion: 'v1', metadata: {} } as const;
const DONE = created({ ...STATUS, status: 'Success', code: 201 });

/** Kubernetes documents this response as a 500. It is returned, not thrown, so that it is not logged as a failure. */
const TOO_MANY_BUDGETS: Answer = {
  status: 500,
  body: {
    ...STATUS,
    status: 'Failure',
    message:
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    code: 500,
  },
};

/** `undefined`: the pod meanwhile changed so that its budgets apply, and the eviction has to start again. */
const tryEviction = async (request: EvictionRequest, deps: ApiServerDeps): Promise<Answer | undefined> => {
  const pod = await readPod(request, deps);
  const node = await unheldTarget(deps, pod);
  const budgets = ignoresBudgets(pod) ? [] : await budgetsIn(pod.metadata.namespace, deps);
  const grant = await grantEviction(pod, budgets, request.dryRun, deps);
  if (grant === 'tooManyBudgets') return TOO_MANY_BUDGETS;
  return (await evictPod({ ...request, node }, deps, grant)) ? DONE : undefined;
};

const MAX_TRIES = 20;

/** POST of an Eviction. Throws 404, 409, 429 and 403. */
export const createEviction: Handle<ApiServerDeps> = async (call, deps) => {
  const request = readRequest(call);
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const answer = await tryEviction(request, deps);
    if (answer) return answer;
  }
  throw conflict(subjectOf(call));
};
