/** GET of a node's `work`: what its machine has to run and to end. The answer to a heartbeat says when to ask again. */
import { createHash } from 'node:crypto';
import type { Node, Pod } from '../../api/core.ts';
import { badRequest, notFound } from '../../api/status-error.ts';
import { NODE_LEASE_NAMESPACE } from '../../api/well-known.ts';
import { type LiveRow, liveRow, nodeKey } from '../../ports/rows.ts';
import { checkNodeToken } from '../admission/node-restriction.ts';
import type { Call, Handle } from '../call.ts';
import type { ApiServerDeps } from '../deps.ts';
import type { Answer } from '../http.ts';
import { podsOfNode, referredObjects } from './work-of-node.ts';
import { workPage } from './work-page.ts';
import { workText } from './work-text.ts';
import { decodePosition, encodePosition } from './work-token.ts';

const OUTPUTS = ['json', 'text'] as const;

const outputOf = ({ request }: Call): (typeof OUTPUTS)[number] => {
  const given = request.query.get('output') ?? 'json';
  const output = OUTPUTS.find((one) => one === given);
  if (output === undefined) throw badRequest(`output must be json or text, not ${JSON.stringify(given)}`);
  return output;
};

const readNode = async (call: Call, deps: ApiServerDeps): Promise<LiveRow> => {
  const { name } = call.info;
  const row = liveRow(await deps.objects.read(nodeKey(name)));
  if (!row) throw notFound({ resource: 'nodes', name });
  checkNodeToken(call.user, row.object);
  return row;
};

/** The part of a Node that its machine acts on. */
const dutiesOf = ({ spec, metadata }: Node) => ({
  unschedulable: spec?.unschedulable === true,
  taints: spec?.taints ?? [],
  ...(metadata.deletionTimestamp === undefined ? {} : { deletionTimestamp: metadata.deletionTimestamp }),
});

/** 304 for a client that has the answer already. */
const answered = ({ request }: Call, shown: readonly unknown[], body: () => object | string): Answer => {
  const etag = `"${createHash('sha256').update(JSON.stringify(shown)).digest('base64url')}"`;
  const isKnown = request.headers['if-none-match'] === etag;
  return { status: isKnown ? 304 : 200, headers: { etag }, body: isKnown ? '' : body() };
};

const inWords = (call: Call, revision: string, node: LiveRow, pods: readonly LiveRow[]): Answer => {
  const text = workText(
    revision,
    node.object,
    pods.map(({ object }) => object as Pod),
  );
  return answered(call, [text], () => text);
};

const inPages = async (
  call: Call,
  deps: ApiServerDeps,
  revision: string,
  { object: node, uid }: LiveRow,
  pods: readonly LiveRow[],
): Promise<Answer> => {
  const token = call.request.query.get('continue');
  const from = token ? decodePosition(token) : undefined;
  const asOf = from?.revision ?? revision;
  const page = workPage({ pods, ...(await referredObjects(deps, pods)) }, from?.after);
  const next = page.next && { continue: encodePosition({ revision: asOf, after: page.next }) };
  const duties = dutiesOf(node);
  return answered(call, [asOf, uid, duties, from?.after, page.next, ...page.versions], () => ({
    kind: 'NodeWork',
    apiVersion: 'rollcall.dev/v1',
    metadata: { name: call.info.name, uid, ...next },
    workRevision: asOf,
    clusterId: deps.config.clusterId,
    node: duties,
    ...page.lists,
  }));
};

/** The revision is read before the pods: what changes in between is shown, or announced once more. Throws 400, 401 and 404. */
export const getWork: Handle<ApiServerDeps> = async (call, deps) => {
  const output = outputOf(call);
  const { name } = call.info;
  const item = await deps.heartbeats.read({ namespace: NODE_LEASE_NAMESPACE, name });
  const revision = String(item?.workRevision ?? 0);
  const node = await readNode(call, deps);
  const pods = await podsOfNode(deps, name);
  return output === 'text' ? inWords(call, revision, node, pods) : inPages(call, deps, revision, node, pods);
};
