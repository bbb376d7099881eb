/** An API server in memory, with a clock that stands still, and requests to it. */

import { createMemoryKeyUses } from '../../../shared/adapters/memory/key-uses.ts';
import { createMemoryState } from '../../../shared/adapters/memory/state.ts';
import { issueToken } from '../../../shared/apiserver/access/authentication.ts';
import { createApiServer } from '../../../shared/apiserver/api-server.ts';
import type {
  ApiServerConfig,
  ApiServerDeps,
  RequestFailure,
} from '../../../shared/apiserver/contract/deps.ts';
import { API_SERVER_DEFAULTS } from '../../../shared/apiserver/contract/deps.ts';
import type { FlowControl } from '../../../shared/apiserver/contract/flow-control.ts';
import type { HttpRequest } from '../../../shared/apiserver/contract/http.ts';
import type { Pause } from '../../../shared/apiserver/contract/in-turns.ts';
import { createKnownBeats } from '../../../shared/apiserver/contract/known-beats.ts';
import type { SessionOpener } from '../../../shared/apiserver/contract/session.ts';
import type { TokenPayload } from '../../../shared/apiserver/contract/token-user.ts';
import { createVerifiedTokens } from '../../../shared/apiserver/contract/verified-tokens.ts';
import type { WatchLimits } from '../../../shared/apiserver/feed/watches.ts';
import { createWatches, HOST_WATCH_LIMITS } from '../../../shared/apiserver/feed/watches.ts';
import { createHeartbeatServer, isBeat } from '../../../shared/apiserver/heartbeat-server.ts';
import type { Status } from '../../../shared/kube/errors/status-error.ts';
import {
  GROUP_BOOTSTRAPPERS,
  GROUP_MASTERS,
  GROUP_NODE_OPERATORS,
  GROUP_NODES,
  GROUP_VIEWERS,
} from '../../../shared/kube/types/well-known.ts';
import { optional } from '../../../shared/kube/values/optional.ts';
import type { NodeFetch } from '../../../shared/ports/outside/node-fetch.ts';
import type { KeysAtOnce, SigningKeys } from '../../../shared/ports/outside/signing-keys.ts';
import type { Clock } from '../../../shared/ports/process/clock.ts';
import type { IdSource } from '../../../shared/ports/process/id-source.ts';
import type { BeatsAtOnce } from '../../../shared/ports/store/beats-at-once.ts';
import { createRepeatedBeats } from '../../../shared/serving/repeats/repeated-beats.ts';
import { ALL_SHORTCUTS } from '../../../shared/serving/repeats/shortcuts.ts';
import type { LeaseNews } from '../../../shared/store/beats/lease-news.ts';
import { createLister } from '../../../shared/store/lists/lists.ts';
import { createCapacityEffects } from '../../../shared/store/writer/capacity-effects.ts';
import { createObjectWriter } from '../../../shared/store/writer/object-writer.ts';

export const START = Date.parse('2026-03-01T12:00:00Z');
const DAY_MS = 86_400_000;

const keys = new Map([
  ['k1', new Uint8Array(32).fill(1)],
  ['k2', new Uint8Array(32).fill(2)],
]);

export const keysSigningWith = (kid: string, known: ReadonlyMap<string, Uint8Array> = keys) => ({
  now: () => ({ kid, secret: known.get(kid) ?? new Uint8Array(32) }),
  current: async () => ({ kid, secret: known.get(kid) ?? new Uint8Array(32) }),
  find: async (wanted: string) => known.get(wanted),
});

const HOUR_MS = 3_600_000;

/** A token of the test API that is valid from `START` on, for an hour if nothing else is given. */
export const signedToken = (
  name: string,
  groups: readonly string[],
  nodeUid?: string,
  lastsMs = HOUR_MS,
): Promise<string> =>
  issueToken(
    { signingKeys: keysSigningWith('k1'), clusterId: 'test' },
    { name, groups, issuedAt: START, expiresAt: START + lastsMs, ...optional('nodeUid', nodeUid) },
  );

const groupsOf = (name: string): readonly string[] => {
  if (name.startsWith('system:node:')) return [GROUP_NODES];
  const groups: Readonly<Record<string, readonly string[]>> = {
    admin: [GROUP_MASTERS],
    viewer: [GROUP_VIEWERS],
    operator: [GROUP_NODE_OPERATORS],
    bootstrapper: [GROUP_BOOTSTRAPPERS],
  };
  return groups[name] ?? [];
};

export interface Sent {
  /** Who sends it; `undefined`: nobody in particular. */
  readonly as?: string | undefined;
  readonly nodeUid?: string | undefined;
  readonly token?: string;
  readonly body?: unknown;
  readonly raw?: string | Uint8Array;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

// Answers differ by kind; tests look into the part they are about.
// biome-ignore lint/suspicious/noExplicitAny: the shape of an answer is what is tested
export type Json = any;

export interface Received {
  readonly code: number;
  readonly json: Json;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

const bytesOf = ({ body, raw }: Sent): Uint8Array => {
  if (raw instanceof Uint8Array) return raw;
  return new TextEncoder().encode(raw ?? (body === undefined ? '' : JSON.stringify(body)));
};

const parsed = (text: string): Json => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

interface TestApiOptions {
  readonly signingKeys: SigningKeys;
  readonly clusterId: string;
  readonly controllers: 'all' | 'none';
  readonly config: Partial<ApiServerConfig>;
  /** Shared with another API. */
  readonly state: Pick<
    ReturnType<typeof createMemoryState>,
    'objects' | 'heartbeats' | 'control' | 'capacity'
  >;
  /** A clock that lets time pass, for watches; otherwise it stands still. */
  readonly clock: Clock;
  /** Shared with whoever else writes to the state. */
  readonly ids: IdSource;
  readonly limits: WatchLimits;
  readonly leaseNews: LeaseNews;
  readonly nodeFetch: NodeFetch;
  readonly onUsageTooLarge: NonNullable<ApiServerDeps['onUsageTooLarge']>;
  readonly flow: FlowControl;
  /** Is called between parts of long work. */
  readonly pause: Pause;
  /** Beats that come again are answered in the same turn, as on a host, see `again` of `serve`. */
  readonly repeats: { readonly beats: BeatsAtOnce; readonly signingKeys: KeysAtOnce };
  /** Connects with nodes. */
  readonly sessions: SessionOpener;
  /** What clients are told of failures that are no `StatusError`. */
  readonly statusOf: NonNullable<ApiServerDeps['statusOf']>;
}

export const createTestApi = ({
  signingKeys = keysSigningWith('k1'),
  clusterId = 'test',
  controllers = 'all',
  config = {},
  state = createMemoryState(),
  clock: given,
  ids: givenIds,
  limits = HOST_WATCH_LIMITS,
  leaseNews,
  nodeFetch,
  onUsageTooLarge,
  flow,
  pause,
  repeats,
  sessions,
  statusOf,
}: Partial<TestApiOptions> = {}) => {
  let now = START;
  let serial = 0;
  const clock = given ?? { now: () => now, sleep: async () => undefined };
  const ids = givenIds ?? {
    uuid: () => {
      serial += 1;
      return `00000000-0000-4000-8000-${String(serial).padStart(12, '0')}`;
    },
    random: () => 0.5,
  };
  const apiConfig = { ...API_SERVER_DEFAULTS, clusterId, ...config };
  const keyUses = createMemoryKeyUses();
  const verified = createVerifiedTokens<TokenPayload>();
  const failures: RequestFailure[] = [];
  const lister = createLister({ objects: state.objects, clock, ids });
  const watches = createWatches({
    objects: state.objects,
    clock,
    ids,
    lister,
    limits,
    onError: (error) => failures.push({ method: 'GET', path: '', at: now, error }),
  });
  const deps = {
    ...state,
    clock,
    ids,
    signingKeys,
    keyUses,
    verified,
    // As on a host: beats that are sent again take the short way.
    knownBeats: createKnownBeats(verified, isBeat),
    controllers,
    config: apiConfig,
    logger: { requestFailed: (failure: RequestFailure) => failures.push(failure) },
    writer: createObjectWriter({
      ...state,
      clock,
      ids,
      capacityEffects: createCapacityEffects(state.capacity),
    }),
    lister,
    watches,
    ...(leaseNews ? { leaseNews } : {}),
    ...(nodeFetch ? { nodeFetch } : {}),
    ...(onUsageTooLarge ? { onUsageTooLarge } : {}),
    ...(flow ? { flow } : {}),
    ...(pause ? { pause } : {}),
    ...(repeats
      ? {
          againOf: createRepeatedBeats({
            ...repeats,
            clock,
            ids,
            verified,
            config: apiConfig,
            shortcuts: ALL_SHORTCUTS,
          }),
        }
      : {}),
    ...(sessions ? { sessions } : {}),
    ...(statusOf ? { statusOf } : {}),
  };
  const api = createApiServer(deps);
  const heartbeatApi = createHeartbeatServer(deps);

  const tokens = new Map<string, Promise<string>>();
  const tokenOf = (sent: Sent): Promise<string | undefined> => {
    if (!given || sent.as === undefined) return issuedFor(sent);
    // Signing is real work: under a clock that jumps it must not come between two instants.
    const known = tokens.get(sent.as) ?? issuedFor(sent).then((token) => token ?? '');
    tokens.set(sent.as, known);
    return known;
  };

  const issuedFor = async ({ as, nodeUid, token }: Sent): Promise<string | undefined> => {
    if (token !== undefined || as === undefined) return token;
    const claims = { name: as, groups: groupsOf(as), ...(nodeUid === undefined ? {} : { nodeUid }) };
    const times = { issuedAt: clock.now(), expiresAt: clock.now() + DAY_MS };
    return issueToken({ signingKeys, clusterId }, { ...claims, ...times });
  };

  const requestOf = async (method: string, url: string, sent: Sent): Promise<HttpRequest> => {
    const { pathname, searchParams } = new URL(url, 'http://api.test');
    const token = await tokenOf(sent);
    return {
      method,
      path: pathname,
      query: searchParams,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(sent.type === undefined ? {} : { 'content-type': sent.type }),
        ...sent.headers,
      },
      body: bytesOf(sent),
      ...(sent.signal ? { signal: sent.signal } : {}),
    };
  };

  const sendTo =
    (serve: typeof api) =>
    async (method: string, url: string, sent: Sent = { as: 'admin' }): Promise<Received> => {
      const request = await requestOf(method, url, sent);
      const response = await serve(request);
      const bytes =
        typeof response.body === 'string' ? new TextEncoder().encode(response.body) : response.body;
      return {
        code: response.status,
        headers: response.headers,
        bytes,
        json: parsed(new TextDecoder().decode(bytes)),
      };
    };

  return {
    ...deps,
    failures,
    serve: api,
    tokenFor: (as: string) => tokenOf({ as }),
    requestOf,
    send: sendTo(api),
    sendHeartbeat: sendTo(heartbeatApi),
    /** An answer as it comes, in pieces or as a whole. */
    open: async (url: string, sent: Sent = { as: 'admin' }) => api(await requestOf('GET', url, sent)),
    advance: (ms: number) => {
      now += ms;
    },
  };
};

export type TestApi = ReturnType<typeof createTestApi>;

export const MERGE = 'application/merge-patch+json';
export const NODES = '/api/v1/nodes';
export const PODS = '/api/v1/namespaces/default/pods';
export const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
export const heartbeatPath = (node: string): string => `/apis/rollcall.dev/v1/nodes/${node}/heartbeat`;
export const tokenPath = (node: string): string => `/apis/rollcall.dev/v1/nodes/${node}/token`;

export const nodeBody = (name: string, rest: object = {}) => ({ metadata: { name }, ...rest });
export const readyNode = (name: string, lastHeartbeatTime: string, rest: object = {}) => ({
  metadata: { name },
  status: {
    conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime, reason: 'KubeletReady' }],
    ...rest,
  },
});
export const podBody = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

/** Code, reason and message of a Status. */
export const statusOf = ({
  code,
  json,
}: Received): readonly [number, string | undefined, string | undefined] => [
  code,
  (json as Status).reason,
  (json as Status).message,
];
