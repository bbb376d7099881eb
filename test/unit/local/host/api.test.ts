import { expect, it } from 'vitest';
import { createHostApi } from '../../../../local/host/api.ts';
import { createHostMetrics } from '../../../../local/host/host-metrics.ts';
import { createHostLog } from '../../../../local/serving/host-log.ts';
import { createMemoryKeyUses } from '../../../../shared/adapters/memory/key-uses.ts';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import { SqliteProblem } from '../../../../shared/adapters/sqlite/problem.ts';
import { GROUP_MASTERS } from '../../../../shared/api/well-known.ts';
import { issueToken } from '../../../../shared/apiserver/access/authentication.ts';
import { createWatches, HOST_WATCH_LIMITS } from '../../../../shared/apiserver/watch/watches.ts';
import { parseConfiguration } from '../../../../shared/config/configuration.ts';
import { createLocalLeaseNews } from '../../../../shared/state/lease-news.ts';
import { createLister } from '../../../../shared/state/lists.ts';
import { keysSigningWith, START } from '../../apiserver/api.ts';

const clock = { now: () => START, sleep: async () => undefined };
const ids = { uuid: () => 'u1', random: () => 0.5 };

const apiOn = (failing: unknown) => {
  const lines: string[] = [];
  const state = createMemoryState();
  const objects = {
    ...state.objects,
    takeRevisions: async () => {
      throw failing;
    },
  };
  const lister = createLister({ objects, clock, ids });
  const watches = createWatches({
    ...{ objects, clock, ids, lister, limits: HOST_WATCH_LIMITS },
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
    cluster: parseConfiguration(),
    rootCa: '',
    metrics: createHostMetrics(),
    hostLog: createHostLog({ format: 'text', clock, write: (line) => lines.push(line) }),
  });
  return { api, lines };
};

const postNode = async (api: ReturnType<typeof createHostApi>) => {
  const { clusterId } = parseConfiguration();
  const token = await issueToken(
    { signingKeys: keysSigningWith('k1'), clusterId },
    { name: 'admin', groups: [GROUP_MASTERS], issuedAt: START, expiresAt: START + 60_000 },
  );
  const { status, headers, body } = await api({
    method: 'POST',
    path: '/api/v1/nodes',
    query: new URLSearchParams(),
    headers: { authorization: `Bearer ${token}` },
    body: Buffer.from('{"metadata":{"name":"n1"}}'),
  });
  return { status, retryAfter: headers['retry-after'], message: JSON.parse(String(body)).message as string };
};

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
