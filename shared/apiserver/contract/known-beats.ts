/** Recognizes beats that are sent again (J-213): what was decided about the first one holds for them, but for its token. */

import { nodeNameOf, type User } from '../../kinds/contract/user.ts';
import type { HttpResponse, RequestHead } from './http.ts';
import type { RequestInfo, ResourceRequest } from './request-info.ts';
import type { TokenPayload } from './token-user.ts';
import type { VerifiedTokens } from './verified-tokens.ts';

/** A beat of a node about itself, as it was understood and permitted. */
export interface KnownBeat {
  readonly info: ResourceRequest;
  readonly user: User;
  /** The token that it was sent with. It has to be verified again: it may have expired. */
  readonly token: string;
}

/** Beats that were answered before. */
export interface KnownBeats {
  /** The known beat that this request repeats: it differs in its body and in the connection only. */
  find(request: RequestHead): KnownBeat | undefined;
  /** Remembers a request that was answered, if it is a beat of a node about itself. */
  learn(request: RequestHead, info: RequestInfo, user: User, response: HttpResponse): void;
}

/** Beats that are remembered: those of the largest fleet. */
const MOST = 131_072;
/** Bytes of a body up to which a beat never waits for memory. */
const SMALL_BODY = 4_096;

/** What clients that want plain JSON send. */
const PLAIN: ReadonlySet<string | undefined> = new Set([
  undefined,
  '*/*',
  'application/json',
  'application/vnd.kubernetes.protobuf,application/json',
]);
/** Headers whose values decide about an answer. */
const DECIDING = ['authorization', 'accept', 'content-type', 'user-agent'] as const;

interface Remembered extends KnownBeat {
  readonly method: string;
  readonly headers: RequestHead['headers'];
  /** Names of all headers: another one could mean something else. */
  readonly names: readonly string[];
}

const isSmall = ({ headers }: RequestHead): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= SMALL_BODY;

const hasNames = (headers: RequestHead['headers'], names: readonly string[]): boolean => {
  let place = 0;
  for (const name in headers) if (name !== names[place++]) return false;
  return place === names.length;
};

const isRepeated = (request: RequestHead, { method, headers, names }: Remembered): boolean =>
  request.method === method &&
  request.query.size === 0 &&
  DECIDING.every((name) => request.headers[name] === headers[name]) &&
  hasNames(request.headers, names) &&
  isSmall(request);

const isPlain = ({ query, headers }: RequestHead, { status, body }: HttpResponse): boolean =>
  status === 200 &&
  query.size === 0 &&
  PLAIN.has(headers['accept']) &&
  headers['expect'] === undefined &&
  !Object.keys(headers).some((name) => name.startsWith('impersonate-')) &&
  typeof body === 'string' &&
  body.startsWith('{"');

const isOwn = (info: ResourceRequest, user: User): boolean =>
  user.nodeUid !== undefined &&
  nodeNameOf(user) === info.name &&
  (info.verb === 'create' || info.verb === 'update');

/** Remembers the beats (`isBeat`) whose tokens are in `verified`. */
export const createKnownBeats = (
  verified: Pick<VerifiedTokens<TokenPayload>, 'peek'>,
  isBeat: (info: RequestInfo) => boolean,
): KnownBeats => {
  const known = new Map<string, Remembered>();
  return {
    find: (request) => {
      const found = known.get(request.path);
      return found && isRepeated(request, found) ? found : undefined;
    },
    learn: (request, info, user, response) => {
      if (info.kind === 'path' || !isOwn(info, user) || !isPlain(request, response)) return;
      const [scheme, token = ''] = (request.headers['authorization'] ?? '').split(' ');
      if (!isBeat(info) || scheme !== 'Bearer' || !verified.peek(token)) return;
      if (known.size >= MOST) known.clear();
      const { method, path, headers } = request;
      const deciding = Object.fromEntries(DECIDING.map((name) => [name, headers[name]]));
      known.set(path, { info, user, token, method, headers: deciding, names: Object.keys(headers) });
    },
  };
};
