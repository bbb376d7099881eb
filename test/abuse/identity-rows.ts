/** Identities that were taken away, or that somebody would like to have: refused also while the host is busy. */

import { GATEWAY_LIMITS } from '../../gateway/forward/admission.ts';
import { createGatewayServe } from '../../gateway/serve.ts';
import { createUpstream } from '../../gateway/upstream/upstream.ts';
import { systemClock as clock } from '../../shared/adapters/system/clock.ts';
import type { HttpResponse } from '../../shared/apiserver/contract/http.ts';
import { GROUP_BOOTSTRAPPERS, GROUP_VIEWERS } from '../../shared/kube/types/well-known.ts';
import { createHostLog } from '../../shared/serving/machine/host-log.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import type { Answered, Client, Sent } from './client.ts';
import type { AbusedHost } from './host.ts';
import { type Abusing, floodWith, type Row, statusesOf, times, unexpected } from './row.ts';
import { CONFIG_MAPS } from './setup.ts';

const NODES = '/api/v1/nodes';
const PODS = '/api/v1/namespaces/default/pods';
const SECRETS = '/api/v1/namespaces/default/secrets';
const JSON_TYPE = { 'content-type': 'application/json' };
const MERGE = { 'content-type': 'application/merge-patch+json' };
/** Of each attempt. */
const SECONDS = 2;

const tokenPath = (node: string): string => `/apis/rollcall.dev/v1/nodes/${node}/token`;

const as = (token: string, method: string, path: string, body?: object, headers = JSON_TYPE): Sent => ({
  method,
  path,
  token,
  ...(body ? { body: JSON.stringify(body), headers } : {}),
});

/** Sends as an administrator, who is refused nothing. */
const prepare = async ({ host, client }: Abusing, ...sent: readonly Sent[]): Promise<readonly Answered[]> => {
  const answers: Answered[] = [];
  for (const one of sent) {
    const answered = await client.send({ ...one, token: host.adminToken });
    if (answered.status >= 300 || answered.status === 0)
      throw new Error(`${one.method} ${one.path}: ${answered.status} ${answered.text}`);
    answers.push(answered);
  }
  return answers;
};

/** Sends each again and again while others keep the host busy; what is wrong with answers of other codes than these. */
const refusedWhileBusy = async (
  { host, client }: Abusing,
  sent: readonly Sent[],
  expected: readonly number[],
): Promise<readonly string[]> => {
  const crowd = await Promise.all(times(20, (index) => host.tokenFor(`crowd-${index}`, GROUP_VIEWERS)));
  const noise = floodWith(client, SECONDS, 60, (index) => ({
    path: `${CONFIG_MAPS}?limit=20`,
    token: crowd[index % crowd.length],
  }));
  const perSender = await inParallel(sent, sent.length, async (one) => {
    const answers = await floodWith(client, SECONDS, 1, () => one);
    const wrong = unexpected(statusesOf(answers), expected);
    return wrong.map((what) => `${one.method} ${one.path}: ${what}`);
  });
  await noise;
  return perSender.flat();
};

const aPod = (name: string, node: string, secret: string): object => ({
  metadata: { name },
  spec: {
    nodeName: node,
    containers: [{ name: 'c', image: 'i' }],
    volumes: [{ name: 's', secret: { secretName: secret } }],
  },
});

const tokenIn = ({ text }: Answered): string =>
  (JSON.parse(text) as { status: { token: string } }).status.token;

/** A Node with a pod that mounts a Secret; it is deleted and made again, and the first one's token is returned. */
const deletedNode = async (
  abusing: Abusing,
): Promise<readonly [node: string, pod: string, token: string]> => {
  const [node, pod, secret] = ['gone', 'left', 'key'].map((name) => `${name}-${abusing.round}`) as [
    string,
    string,
    string,
  ];
  const register = as('', 'POST', NODES, { metadata: { name: node } });
  const [, granted] = await prepare(abusing, register, as('', 'POST', tokenPath(node)));
  await prepare(
    abusing,
    as('', 'DELETE', `${NODES}/${node}`),
    register,
    as('', 'POST', SECRETS, { metadata: { name: secret } }),
    as('', 'POST', PODS, aPod(pod, node, secret)),
  );
  return [node, pod, granted ? tokenIn(granted) : ''];
};

const withDeletedNodesToken = (node: string, pod: string, token: string, round: number): readonly Sent[] => [
  as(token, 'GET', `${SECRETS}/key-${round}`),
  as(token, 'GET', `${NODES}/${node}`),
  as(token, 'DELETE', `${PODS}/${pod}`),
  as(token, 'POST', `${PODS}/${pod}/eviction`, { metadata: { name: pod } }),
  as(token, 'PATCH', `${PODS}/${pod}/status`, { status: { phase: 'Failed' } }, MERGE),
  as(token, 'PATCH', `${NODES}/${node}/status`, { status: { phase: 'Running' } }, MERGE),
  as(token, 'POST', '/api/v1/namespaces/default/serviceaccounts/default/token', { spec: {} }),
  as(token, 'POST', tokenPath(node)),
];

/** The write itself refuses it, as that of a Node which is not there; who sends it is asked afterwards. */
const beatOf = (node: string, token: string): Sent =>
  as(token, 'POST', `/apis/rollcall.dev/v1/nodes/${node}/heartbeat`);

const reviewOf = async (abusing: Abusing, token: string): Promise<readonly string[]> => {
  const path = '/apis/authentication.k8s.io/v1/tokenreviews';
  const [review] = await prepare(abusing, as('', 'POST', path, { spec: { token } }));
  const { status } = JSON.parse(review?.text ?? '{}') as { status?: { authenticated?: boolean } };
  return status?.authenticated === true ? ['a TokenReview takes the token for valid'] : [];
};

const FOREIGN_NODES: readonly object[] = [
  { labels: { 'node-restriction.kubernetes.io/team': 'a' } },
  { labels: { 'node-role.kubernetes.io/control-plane': '' } },
  { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' }] },
];

const withBootstrapToken = (token: string): readonly Sent[] => [
  // Machines beat with the tokens of these.
  ...times(5, (index) => as(token, 'POST', tokenPath(`n${index}`))),
  ...FOREIGN_NODES.map((metadata, index) =>
    as(token, 'POST', NODES, { metadata: { name: `taken-${index}`, ...metadata } }),
  ),
  as(token, 'POST', NODES, { metadata: { name: 'taken' }, spec: { podCIDR: '10.0.0.0/24' } }),
];

const gatewayTo = ({ url, ca }: AbusedHost) => {
  const upstream = createUpstream({ url, ca, timeoutMs: 60_000, maxSockets: 64 });
  const hostLog = createHostLog({ format: 'text', clock, write: () => undefined });
  const deps = { upstream, hostLog, clock, random: Math.random, limits: GATEWAY_LIMITS };
  return { serve: createGatewayServe(deps), close: upstream.close };
};

const watching = (headers: Readonly<Record<string, string>>, signal: AbortSignal) => ({
  method: 'GET',
  path: NODES,
  query: new URLSearchParams({ watch: '1' }),
  headers,
  body: new Uint8Array(),
  signal,
});

const readOn = async ({ stream }: HttpResponse): Promise<void> => {
  for await (const _ of stream ?? []);
};

/** An administrator's watch is shared; those whom it acts as have to be asked about by themselves. */
const impersonatedWatches = async ({ host }: Abusing, seconds: number): Promise<readonly number[]> => {
  const { serve, close } = gatewayTo(host);
  const [over, admin] = [new AbortController(), { authorization: `Bearer ${host.adminToken}` }];
  const shared = await serve(watching(admin, over.signal));
  const read = readOn(shared);
  const statuses: number[] = [];
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    const user = `nobody-${statuses.length % 10}`;
    const gone = new AbortController();
    statuses.push((await serve(watching({ ...admin, 'impersonate-user': user }, gone.signal))).status);
    gone.abort();
  }
  over.abort();
  await read;
  close();
  return shared.status === 200 ? statuses : [shared.status];
};

const busy = (client: Client, host: AbusedHost) =>
  floodWith(client, SECONDS, 60, () => ({ path: `${CONFIG_MAPS}?limit=20`, token: host.adminToken }));

export const IDENTITY_ROWS: readonly Row[] = [
  {
    name: 'the token of a Node that was deleted and has a successor',
    abuse: async (abusing) => {
      const [node, pod, token] = await deletedNode(abusing);
      const sent = withDeletedNodesToken(node, pod, token, abusing.round);
      const wrong = [
        ...(await refusedWhileBusy(abusing, sent, [401, 429])),
        ...(await refusedWhileBusy(abusing, [beatOf(node, token)], [401, 404, 429])),
      ];
      await prepare(abusing, as('', 'GET', `${PODS}/${pod}`));
      return [...wrong, ...(await reviewOf(abusing, token))];
    },
  },
  {
    name: 'a bootstrap token that wants nodes of others',
    abuse: async (abusing) => {
      const token = await abusing.host.tokenFor('joining', GROUP_BOOTSTRAPPERS);
      return refusedWhileBusy(abusing, withBootstrapToken(token), [403, 429]);
    },
  },
  {
    name: 'watches through a gateway by those whom an administrator acts as',
    abuse: async (abusing) => {
      const noise = busy(abusing.client, abusing.host);
      const statuses = await impersonatedWatches(abusing, SECONDS);
      await noise;
      return statuses.length === 0 ? ['no watch was answered'] : unexpected(statuses, [403, 429]);
    },
  },
];
