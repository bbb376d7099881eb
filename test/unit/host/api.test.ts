import { expect, it } from 'vitest';
import { createHostApi } from '../../../host/api.ts';
import { createHostMetrics } from '../../../host/figures/host-metrics.ts';
import { runningControllers } from '../../../lambdas/running-controllers.ts';
import { createMemoryKeyUses } from '../../../shared/adapters/memory/key-uses.ts';
import { createMemoryState } from '../../../shared/adapters/memory/state.ts';
import { SqliteProblem } from '../../../shared/adapters/sqlite/file/problem.ts';
import { issueToken } from '../../../shared/apiserver/access/authentication.ts';
import { createVerifiedTokens } from '../../../shared/apiserver/contract/verified-tokens.ts';
import { createWatches, HOST_WATCH_LIMITS } from '../../../shared/apiserver/feed/watches.ts';
import { GROUP_MASTERS } from '../../../shared/kube/types/well-known.ts';
import { createHostLog } from '../../../shared/serving/machine/host-log.ts';
import { ALL_SHORTCUTS } from '../../../shared/serving/repeats/shortcuts.ts';
import { parseConfiguration } from '../../../shared/settings/aws/configuration.ts';
import { sessionLimitsOf } from '../../../shared/settings/host/host-configuration.ts';
import { createLocalLeaseNews } from '../../../shared/store/beats/lease-news.ts';
import { createLister } from '../../../shared/store/lists/lists.ts';
import { keysSigningWith, START } from '../../support/servers/api.ts';

const clock = { now: () => START, sleep: async () => undefined };
const ids = { uuid: () => 'u1', random: () => 0.5 };

const createApi = (
  state = createMemoryState(),
  objects = state.objects,
  cluster: Parameters<typeof parseConfiguration>[0] = {},
) => {
  const lines: string[] = [];
  const lister = createLister({ objects, clock, ids });
  const watches = createWatches({
    objects,
    clock,
    ids,
    lister,
    limits: HOST_WATCH_LIMITS,
    onError: () => undefined,
  });
  const api = createHostApi({
    ...state,
    objects,
    clock,
    ids,
    lister,
    watches,
    leaseNews: createLocalLeaseNews(),
    signingKeys: keysSigningWith('k1'),
    keyUses: createMemoryKeyUses(),
    verified: createVerifiedTokens(),
    cluster: parseConfiguration(cluster),
    running: runningControllers('all'),
    sessionLimits: sessionLimitsOf({}),
    shortcuts: ALL_SHORTCUTS,
    rootCa: '',
    metrics: createHostMetrics(),
    hostLog: createHostLog({ format: 'text', clock, write: (line) => lines.push(line) }),
  });
  return { api, lines };
};

/** An API whose every write fails. */
const apiOn = (failing: unknown) => {
  const state = createMemoryState();
  const takeRevisions = async (): Promise<never> => {
    throw failing;
  };
  return createApi(state, { ...state.objects, takeRevisions });
};

const post = async (api: ReturnType<typeof createHostApi>, path: string, sent: object) => {
  const { clusterId } = parseConfiguration();
  const token = await issueToken(
    { signingKeys: keysSigningWith('k1'), clusterId },
    { name: 'admin', groups: [GROUP_MASTERS], issuedAt: START, expiresAt: START + 60_000 },
  );
  const { status, headers, body } = await api({
    method: 'POST',
    path,
    query: new URLSearchParams(),
    headers: { authorization: `Bearer ${token}` },
    body: Buffer.from(JSON.stringify(sent)),
  });
  return { status, retryAfter: headers['retry-after'], message: JSON.parse(String(body)).message as string };
};

const postNode = (api: ReturnType<typeof createHostApi>) =>
  post(api, '/api/v1/nodes', {
    metadata: { name: 'n1' },
    status: { allocatable: { cpu: '4', pods: '10' } },
  });

it('answers 503 with Retry-After if the disk is full', async () => {
  const { api, lines } = apiOn(new SqliteProblem('full', '/folder'));
  const { status, retryAfter, message } = await postNode(api);
  expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: '10' });
  expect(message).toContain('the disk of the server is full');
  expect(message).not.toContain('/folder');
  expect(lines.join()).toContain('/folder');
});

it('hides all other failures from clients', async () => {
  const { status, message } = await postNode(apiOn(new SqliteProblem('damaged', '/folder')).api);
  expect(status).toBe(500);
  expect(message).not.toContain('damaged');
});

it.each(['all', 'none'])(
  'keeps claims and counters with controllers %s (J-02, J-04)',
  async (controllers) => {
    const state = createMemoryState();
    const { api } = createApi(state, state.objects, { controllers });
    expect((await postNode(api)).status).toBe(201);
    await post(api, '/api/v1/namespaces', { metadata: { name: 'default' } });
    await post(api, '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
    const pod = await post(api, '/api/v1/namespaces/default/pods', {
      metadata: { name: 'p' },
      spec: {
        nodeName: 'n1',
        containers: [{ name: 'main', image: 'i', resources: { requests: { cpu: '1' } } }],
      },
    });
    expect(pod.status).toBe(201);
    expect(await state.capacity.counters('n1')).toMatchObject({
      counters: new Map([
        ['pods', 1],
        ['r/cpu', 1000],
      ]),
      digest: expect.stringContaining('"cpu",4000'),
    });
  },
);
