/** Which requests are beats that a relay may answer itself. */
import type { HttpRequest } from '../shared/apiserver/contract/http.ts';

/** A beat. `intervalSeconds`: what the sender of a plain heartbeat wants. */
export interface BeatRequest {
  readonly node: string;
  readonly isPlain: boolean;
  readonly intervalSeconds?: number;
}

/** A request whose body has not been read. */
type Head = Pick<HttpRequest, 'method' | 'path'>;

const HEARTBEAT = /^\/apis\/rollcall\.dev\/v1\/nodes\/([^/]+)\/heartbeat$/;
const LEASE = /^\/apis\/coordination\.k8s\.io\/v1\/namespaces\/kube-node-lease\/leases\/([^/]+)$/;

/** The node of which a request looks like a beat, by its head. */
export const beatingNode = ({ method, path }: Head): string | undefined => {
  if (method === 'POST') return HEARTBEAT.exec(path)?.[1];
  return method === 'PUT' ? LEASE.exec(path)?.[1] : undefined;
};

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

const isForAnother = (headers: HttpRequest['headers']): boolean =>
  Object.keys(headers).some((name) => name.startsWith('impersonate-'));

/** The beat that a request is: a plain heartbeat, or the renewal of a node's Lease; `undefined` for anything else. */
export const beatRequest = (request: HttpRequest): BeatRequest | undefined => {
  const node = beatingNode(request);
  if (node === undefined || request.query.size > 0 || isForAnother(request.headers)) return undefined;
  if (request.method === 'PUT') return { node, isPlain: false };
  const interval = intervalIn(request.body);
  return interval && { node, isPlain: true, ...interval };
};
