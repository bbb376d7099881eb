/** POST to a node's `drain`: asks for the node to be emptied, and returns at once. */

import { type FieldError, forbiddenField, invalidObject } from '../../kube/errors/field-error.ts';
import { badRequest, conflict, notFound } from '../../kube/errors/status-error.ts';
import type { Node, Pod } from '../../kube/types/core.ts';
import { toTime } from '../../kube/values/time.ts';
import { nodeKey, type Row } from '../../ports/store/rows.ts';
import { drainStep, type Refusal } from '../../rules/drain/drain-pods.ts';
import { refusalTexts } from '../../rules/drain/drain-progress.ts';
import type { DrainRequest } from '../../rules/drain/drain-request.ts';
import { drainRequestOf, withDrainRequest } from '../../rules/drain/node-drain.ts';
import { checkMediaType, parseJson } from '../body/body.ts';
import type { Call, Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { created } from '../contract/http.ts';
import { isDryRun } from '../request/options.ts';
import { checkPreconditions } from '../verbs/delete.ts';
import { type MeantNode, NODE_DRAIN, readDrainSpec, readMeantNode, requestFrom } from './drain-options.ts';

const bodyOf = ({ request }: Call): unknown => {
  if (request.body.byteLength === 0) return undefined;
  checkMediaType(request, 'application/json');
  return parseJson(request.body, (complaint) => badRequest(`the NodeDrain is not JSON: ${complaint}`));
};

const FIELD_OF: Readonly<Record<Refusal, string>> = {
  daemonSet: 'spec.ignoreDaemonSets',
  localStorage: 'spec.deleteEmptyDirData',
  unmanaged: 'spec.force',
};

const refusalsOf = (pods: readonly Pod[], request: DrainRequest, now: number): readonly FieldError[] => {
  const judged = pods.flatMap((pod) => {
    const decision = drainStep(pod, request, now);
    const name = `${pod.metadata.namespace ?? ''}/${pod.metadata.name}`;
    return decision.step === 'refuse' ? decision.refusals.map((why) => ({ pod: name, why })) : [];
  });
  return [...Map.groupBy(judged, ({ why }) => why)].flatMap(([why, group]) =>
    refusalTexts(group.map(({ pod }) => ({ pod, why: [why] }))).map((text) =>
      forbiddenField(FIELD_OF[why], text),
    ),
  );
};

const liveNode = (name: string, row: Row | undefined, meant: MeantNode): Node => {
  if (row?.state !== 'live') throw notFound({ resource: 'nodes', name });
  checkPreconditions(meant, row.object, 'Node');
  if (row.object.metadata.deletionTimestamp !== undefined)
    throw conflict({ resource: 'nodes', name }, 'the Node is being deleted');
  return row.object;
};

/** As kubectl does, it refuses the whole drain if it could not take all pods. */
const checkPods = async (name: string, asked: DrainRequest, deps: ApiServerDeps): Promise<void> => {
  const { value } = await deps.objects.podsByNode(name);
  const pods = value.map(({ object }) => object as Pod).filter(({ spec }) => spec.nodeName === name);
  const refusals = refusalsOf(pods, asked, asked.requestedAt);
  if (refusals.length > 0) throw invalidObject(NODE_DRAIN, name, refusals);
};

const answerOf = (node: Node) => {
  const { name, uid = '' } = node.metadata;
  const { id, by, reason, requestedAt, deadlineAt } = drainRequestOf(node) ?? {};
  return created({
    kind: NODE_DRAIN.kind,
    apiVersion: 'rollcall.dev/v1',
    metadata: { name, uid },
    status: {
      id,
      by,
      reason,
      requestTime: toTime(requestedAt ?? 0),
      ...(deadlineAt === undefined ? {} : { deadlineTime: toTime(deadlineAt) }),
    },
  });
};

const store = async (
  name: string,
  meant: MeantNode,
  asked: DrainRequest,
  deps: ApiServerDeps,
): Promise<Node> => {
  let next: Node | undefined;
  await deps.writer.write(nodeKey(name), (row) => {
    const node = liveNode(name, row, meant);
    next = withDrainRequest(node, asked);
    return next === node ? undefined : { next, writer: 'client' };
  });
  if (!next) throw conflict({ resource: 'nodes', name });
  return next;
};

/**
 * Cordons the node and asks for its drain; a drain that goes on already does from now on what either asks for. Throws 400, 404, 409 (also for another Node, or another
 * state of it, than the body means), and 422 for fields that are not valid and for pods that the options do not let go.
 */
export const drainNode: Handle<ApiServerDeps> = async (call, deps) => {
  const { name } = call.info;
  const isTrial = isDryRun(call.request, 'CreateOptions');
  const body = bodyOf(call);
  const [spec, meant] = [readDrainSpec(body, name), readMeantNode(body)];
  const node = liveNode(name, await deps.objects.read(nodeKey(name)), meant);
  const asked = requestFrom(spec, { id: deps.ids.uuid(), by: call.user.name, now: deps.clock.now() });
  const wanted = withDrainRequest(node, asked);
  await checkPods(name, drainRequestOf(wanted) ?? asked, deps);
  return answerOf(isTrial ? wanted : await store(name, meant, asked, deps));
};
