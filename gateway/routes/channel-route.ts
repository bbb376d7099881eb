/** Takes the channels of nodes to which the gateway cannot connect. The API behind says whose token it is that a node shows. */
import { X509Certificate } from 'node:crypto';
import type { HttpRequest, HttpResponse } from '../../shared/apiserver/contract/http.ts';
import type { SessionOpener } from '../../shared/apiserver/contract/session.ts';
import { internalError, StatusError } from '../../shared/kube/errors/status-error.ts';
import { isObject } from '../../shared/kube/json/json-object.ts';
import { asksForStream } from '../../shared/rules/streams/upgrade.ts';
import type { ChannelNode } from '../../shared/serving/streams/channels.ts';
import { endToEndHeaders } from '../forward/forward.ts';
import type { Route } from '../forward/gateway.ts';
import { credentialsOf } from '../upstream/credentials.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** What nodes are told of the gateway. */
export interface Advertised {
  /** `https://…`, as nodes reach it. */
  readonly url: string;
  /** PEM of the certificate that it shows. */
  readonly certificate: string;
  /** Token of an administrator: nodes show their own at this address. */
  readonly token: string;
}

const PATH = /^\/apis\/rollcall\.dev\/v1\/nodes\/([^/]+)\/channel(?:\/([^/]+))?$/;

/** SHA-256 of the DER, lower hex. */
const fingerprintOf = (pem: string): string =>
  new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase();

/** Asks nodes for channels to this gateway. */
export const createAnnouncer =
  (upstream: Upstream, { url, certificate, token }: Advertised) =>
  async ({ name }: ChannelNode): Promise<void> => {
    const { status, body } = await upstream.send({
      method: 'POST',
      path: `/apis/rollcall.dev/v1/nodes/${encodeURIComponent(name)}/channel`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ url, certificate: fingerprintOf(certificate) })),
    });
    if (status === 201) return;
    throw internalError(
      `the API did not ask node ${name} for a channel (${status}: ${Buffer.from(body).toString()})`,
    );
  };

const nodeIn = (body: Uint8Array): ChannelNode => {
  const read: unknown = JSON.parse(Buffer.from(body).toString());
  const { name, uid } = isObject(read) && isObject(read['metadata']) ? read['metadata'] : {};
  if (typeof name === 'string' && typeof uid === 'string') return { name, uid };
  throw new StatusError('InternalError', 'the API answered something that is not a NodeChannel');
};

const answer = async (
  request: HttpRequest,
  node: string,
  stream: string,
  { upstream, sessions }: ChannelRouteDeps,
): Promise<HttpResponse> => {
  const asked = await upstream.send({
    method: 'GET',
    path: `/apis/rollcall.dev/v1/nodes/${node}/channel`,
    headers: { ...credentialsOf(request.headers), accept: 'application/json' },
  });
  if (asked.status !== 200)
    return { status: asked.status, headers: endToEndHeaders(asked.headers), body: asked.body };
  return sessions.accept(nodeIn(asked.body), stream, request);
};

export interface ChannelRouteDeps {
  readonly upstream: Upstream;
  readonly sessions: Pick<SessionOpener, 'accept'>;
}

/** Answers the upgrades of nodes. */
export const createChannelRoute =
  (deps: ChannelRouteDeps): Route =>
  (request) => {
    const [, node, stream = ''] = PATH.exec(request.path) ?? [];
    if (node === undefined || request.method !== 'GET' || !asksForStream(request.headers['upgrade']))
      return undefined;
    return answer(request, node, stream, deps);
  };
