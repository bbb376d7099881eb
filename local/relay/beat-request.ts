/** Which requests are beats that a relay may answer itself. */
import type { HttpRequest } from '../../shared/apiserver/http.ts';

/** A beat. `intervalSeconds`: what the sender of a plain heartbeat wants. */
export interface BeatRequest {
  readonly node: string;
  readonly isPlain: boolean;
  readonly intervalSeconds?: number;
}

const HEARTBEAT = /^\/apis\/rollcall\.dev\/v1\/nodes\/([^/]+)\/heartbeat$/;
const LEASE = /^\/apis\/coordination\.k8s\.io\/v1\/namespaces\/kube-node-lease\/leases\/([^/]+)$/;

/** `undefined`: the body is not one that a relay understands; the API says what is wrong with it. */
const intervalIn = (body: Uint8Array): { readonly intervalSeconds?: number } | undefined => {
  if (body.byteLength === 0) return {};
  try {
    const { intervalSeconds } = JSON.parse(Buffer.from(body).toString()) as { intervalSeconds?: unknown };
    if (intervalSeconds === undefined) return {};
    return typeof intervalSeconds === 'number' && intervalSeconds > 0 ? { intervalSeconds } : undefined;
  } catch {
    return undefined;
  }
};

const plainBeat = ({ method, path, body }: HttpRequest): BeatRequest | undefined => {
  const [, node] = HEARTBEAT.exec(path) ?? [];
  const interval = node !== undefined && method === 'POST' ? intervalIn(body) : undefined;
  return node !== undefined && interval ? { node, isPlain: true, ...interval } : undefined;
};

const renewal = ({ method, path }: HttpRequest): BeatRequest | undefined => {
  const [, node] = LEASE.exec(path) ?? [];
  return node !== undefined && method === 'PUT' ? { node, isPlain: false } : undefined;
};

const isForAnother = (headers: HttpRequest['headers']): boolean =>
  Object.keys(headers).some((name) => name.startsWith('impersonate-'));

/** The beat that a request is: a plain heartbeat, or the renewal of a node's Lease; `undefined` for anything else. */
export const beatRequest = (request: HttpRequest): BeatRequest | undefined =>
  request.query.size > 0 || isForAnother(request.headers)
    ? undefined
    : (plainBeat(request) ?? renewal(request));
