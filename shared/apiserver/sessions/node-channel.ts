/** GET of a node's `channel`: the node opens it, with WebSocket, when its work says so. POST: a gateway asks for one. */

import { checkNodeToken } from '../../kinds/admission/node-restriction.ts';
import { badRequest, notFound } from '../../kube/errors/status-error.ts';
import { isObject } from '../../kube/json/json-object.ts';
import { type LiveRow, liveRow, nodeKey } from '../../ports/store/rows.ts';
import { asksForStream } from '../../rules/streams/upgrade.ts';
import { checkMediaType, parseJson } from '../body/body.ts';
import type { Call, Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { type Answer, created, ok } from '../contract/http.ts';
import { announceChannel } from './announce-channel.ts';
import { onlyByProxy } from './create-session.ts';

const nodeOf = async ({ user, info: { name } }: Call, { objects }: ApiServerDeps): Promise<LiveRow> => {
  const row = liveRow(await objects.read(nodeKey(name)));
  if (!row) throw notFound({ resource: 'nodes', name });
  checkNodeToken(user, row.object);
  return row;
};

const shown = (name: string, uid: string): object => ({
  kind: 'NodeChannel',
  apiVersion: 'rollcall.dev/v1',
  metadata: { name, uid },
});

/** What follows `…/nodes/NAME/channel/`: the id of a stream; empty for the channel itself. */
const streamIn = (path: string): string => path.split('/').slice(7).join('/');

/** Without `Upgrade` it tells a gateway that the token is one of this node. */
export const openChannel: Handle<ApiServerDeps> = async (call, deps): Promise<Answer> => {
  const { request, info } = call;
  const { uid } = await nodeOf(call, deps);
  if (!asksForStream(request.headers['upgrade'])) return ok(shown(info.name, uid));
  const { sessions } = deps;
  if (!sessions) throw onlyByProxy();
  const node = { name: info.name, uid };
  return { status: 200, body: '', later: async () => sessions.accept(node, streamIn(request.path), request) };
};

/** Throws 400 for what a node could not open. */
const readCall = ({ request }: Call): { readonly url?: string; readonly certificate?: string } => {
  if (request.body.byteLength === 0) return {};
  checkMediaType(request, 'application/json');
  const body = parseJson(request.body, (complaint) =>
    badRequest(`the NodeChannel is not JSON: ${complaint}`),
  );
  const { url, certificate } = isObject(body) ? body : {};
  if (typeof url !== 'string' || !url.startsWith('https://') || !URL.canParse(url))
    throw badRequest('url must be that of a gateway, which begins with https://');
  if (typeof certificate !== 'string' || !/^[0-9a-f]{64}$/.test(certificate))
    throw badRequest('certificate must be the SHA-256 of the gateway’s certificate, 64 hexadecimal digits');
  return { url, certificate };
};

/** Only administrators: the node shows its token there. */
export const callForChannel: Handle<ApiServerDeps> = async (call, deps): Promise<Answer> => {
  const { uid } = await nodeOf(call, deps);
  const { name } = call.info;
  await announceChannel({ name, uid }, { id: deps.ids.uuid(), ...readCall(call) }, deps);
  return created(shown(name, uid));
};
