/** GET of a node's `work`: what its machine has to run and to end. The answer to a heartbeat says when to ask again. */
import { createHash } from 'node:crypto';
import { checkNodeToken } from '../../kinds/admission/node-restriction.ts';
import { badRequest, notFound } from '../../kube/errors/status-error.ts';
import type { Node, Pod } from '../../kube/types/core.ts';
import { NODE_LEASE_NAMESPACE } from '../../kube/types/well-known.ts';
import { optional } from '../../kube/values/optional.ts';
import { type LiveRow, liveRow, nodeKey, type ObjectKey } from '../../ports/store/rows.ts';
import { isTerminated } from '../../rules/pods/terminated-pods.ts';
import { channelOf } from '../../rules/streams/channel.ts';
import type { Call, Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { Answer } from '../contract/http.ts';
import { bearDefault } from '../namespaces/default-objects.ts';
import { claimedPods, type WorkReads } from './work-of-node.ts';
import { readWorkPage } from './work-page.ts';
import { decodePosition, encodePosition, type WorkPosition } from './work-token.ts';

const OUTPUTS = ['json', 'text'] as const;

/** Claims of pods that one answer looks at. */
const CLAIMS_PER_TEXT = 500;

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
  ...optional('deletionTimestamp', metadata.deletionTimestamp),
});

/** 304 for a client that has the answer already. */
const answered = ({ request }: Call, shown: readonly unknown[], body: () => object | string): Answer => {
  const etag = `"${createHash('sha256').update(JSON.stringify(shown)).digest('base64url')}"`;
  const isKnown = request.headers['if-none-match'] === etag;
  return { status: isKnown ? 304 : 200, headers: { etag }, body: isKnown ? '' : body() };
};

/** Where the answer begins, and as of which revision. */
const positionOf = ({ request }: Call, revision: string): WorkPosition => {
  const token = request.query.get('continue');
  return token ? decodePosition(token) : { revision, after: '' };
};

const podLine = (pod: Pod): string => {
  const { namespace = '', name, uid = '', deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  const which = `${namespace} ${name} ${uid}`;
  if (deletionTimestamp !== undefined) return `end ${which} ${deletionGracePeriodSeconds ?? 0}`;
  return isTerminated(pod) ? `ended ${which}` : `run ${which}`;
};

const dutyLines = (revision: string, { spec }: Node): readonly string[] => [
  `revision ${revision}`,
  `cordoned ${spec?.unschedulable === true}`,
  ...(spec?.taints ?? []).map(({ effect, key, value }) =>
    ['taint', effect, key, ...(value ? [value] : [])].join(' '),
  ),
];

/** Some pods as lines, and where to go on. */
const readLines = async (deps: WorkReads, node: string, after: string) => {
  const lines: string[] = [];
  let [claims, last] = [0, after];
  for await (const { uid, row } of claimedPods(deps, node, after)) {
    if (claims === CLAIMS_PER_TEXT) return { lines, next: last };
    if (row) lines.push(podLine(row.object as Pod));
    [claims, last] = [claims + 1, uid];
  }
  return { lines };
};

/**
 * A node's work as lines of words, for machines that have a shell and no reader of JSON. One fact a line: `revision N`,
 * `cordoned true|false`, `taint EFFECT KEY [VALUE]`, then a line for each pod: `run NAMESPACE NAME UID`, `end NAMESPACE NAME
 * UID GRACE_SECONDS` for one that is being deleted, `ended NAMESPACE NAME UID` for one that has ended. The last line is
 * `complete`, or `continue TOKEN` if there are more pods; without either, the answer was cut. `token`: that of a place.
 */
const workText = async (
  deps: WorkReads,
  revision: string,
  node: Node,
  after: string,
  token: (after: string) => string,
): Promise<string> => {
  const { lines, next } = await readLines(deps, node.metadata.name, after);
  const last = next === undefined ? 'complete' : `continue ${token(next)}`;
  return [...dutyLines(revision, node), ...lines, last, ''].join('\n');
};

const inWords = async (call: Call, deps: ApiServerDeps, from: WorkPosition, { object }: LiveRow) => {
  const { revision, after } = from;
  const token = (next: string): string => encodePosition({ revision, after: next });
  const text = await workText(deps, revision, object, after, token);
  return answered(call, [text], () => text);
};

const inPages = async (call: Call, deps: ApiServerDeps, from: WorkPosition, { object, uid }: LiveRow) => {
  const { revision } = from;
  const reads = { ...deps, bear: (key: ObjectKey) => bearDefault(key, deps) };
  const { next, versions, ...lists } = await readWorkPage(reads, call.info.name, from);
  const more = next && { continue: encodePosition({ ...next, revision }) };
  const duties = dutiesOf(object);
  const channel = channelOf(object);
  return answered(call, [from, uid, duties, next, channel?.id, ...versions], () => ({
    kind: 'NodeWork',
    apiVersion: 'rollcall.dev/v1',
    metadata: { name: call.info.name, uid, ...more },
    workRevision: revision,
    clusterId: deps.config.clusterId,
    node: duties,
    ...optional('channel', channel),
    ...lists,
  }));
};

/** The revision is read before the pods: what changes in between is shown, or announced once more. Throws 400, 401 and 404. */
export const getWork: Handle<ApiServerDeps> = async (call, deps) => {
  const answer = outputOf(call) === 'text' ? inWords : inPages;
  const { name } = call.info;
  const item = await deps.heartbeats.read({ namespace: NODE_LEASE_NAMESPACE, name });
  const from = positionOf(call, String(item?.workRevision ?? 0));
  return answer(call, deps, from, await readNode(call, deps));
};
