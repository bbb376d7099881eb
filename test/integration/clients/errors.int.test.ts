import { beforeAll, describe, expect, it } from 'vitest';
import type { Status } from '../../../shared/kube/errors/status-error.ts';
import type { Call } from '../support/deployment.ts';
import { call, cliToken, must } from '../support/deployment.ts';

const HEARTBEAT = '/apis/rollcall.dev/v1/nodes/err-1/heartbeat';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/err-1';
const admin = cliToken('--admin');
let own = '';
let other = '';

const register = async (name: string): Promise<string> => {
  const body = { apiVersion: 'v1', kind: 'Node', metadata: { name } };
  await must({ method: 'POST', path: '/api/v1/nodes', token: admin, body });
  return cliToken('--node', name);
};

beforeAll(async () => {
  own = await register('err-1');
  other = await register('err-2');
});

/** A token with an invalid signature. */
const forged = (): string => `${admin.slice(0, admin.lastIndexOf('.'))}.AAAA`;

const expired = (): string => cliToken('--admin', '--ttl', '1s');

describe('a bad request gets a Status with its reason', () => {
  it.each<{ name: string; code: number; reason: string; call: () => Call }>([
    {
      name: 'no token',
      code: 403,
      reason: 'Forbidden',
      call: () => ({ method: 'GET', path: '/api/v1/nodes' }),
    },
    {
      name: 'a broken token',
      code: 401,
      reason: 'Unauthorized',
      call: () => ({ method: 'GET', path: '/api/v1/nodes', token: forged() }),
    },
    {
      name: "a heartbeat with another node's token",
      code: 403,
      reason: 'Forbidden',
      call: () => ({ method: 'POST', path: HEARTBEAT, token: other, on: 'HeartbeatUrl' }),
    },
    {
      name: 'a heartbeat of an unknown node',
      code: 404,
      reason: 'NotFound',
      call: () => ({
        method: 'POST',
        path: HEARTBEAT.replace('err-1', 'err-9'),
        token: admin,
        on: 'HeartbeatUrl',
      }),
    },
    {
      name: 'a malformed heartbeat',
      code: 400,
      reason: 'BadRequest',
      call: () => ({
        method: 'POST',
        path: HEARTBEAT,
        token: own,
        body: '{"intervalSeconds":',
        on: 'HeartbeatUrl',
      }),
    },
    {
      name: 'a heartbeat of the wrong media type',
      code: 415,
      reason: 'UnsupportedMediaType',
      call: () => ({
        method: 'POST',
        path: HEARTBEAT,
        token: own,
        body: 'a=b',
        contentType: 'text/plain',
        on: 'HeartbeatUrl',
      }),
    },
    {
      name: 'a heartbeat that is too large',
      code: 413,
      reason: 'RequestEntityTooLarge',
      call: () => ({
        method: 'POST',
        path: HEARTBEAT,
        token: own,
        body: { pad: 'x'.repeat(17_000) },
        on: 'HeartbeatUrl',
      }),
    },
    {
      name: 'a renewal without resourceVersion',
      code: 422,
      reason: 'Invalid',
      call: () => ({
        method: 'PUT',
        path: LEASE,
        token: own,
        body: {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: 'err-1', namespace: 'kube-node-lease' },
          spec: {},
        },
        on: 'HeartbeatUrl',
      }),
    },
    {
      name: 'an unknown pod',
      code: 404,
      reason: 'NotFound',
      call: () => ({ method: 'GET', path: '/api/v1/namespaces/default/pods/none', token: admin }),
    },
    {
      name: 'the creation of a node that exists already',
      code: 409,
      reason: 'AlreadyExists',
      call: () => ({
        method: 'POST',
        path: '/api/v1/nodes',
        token: admin,
        body: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'err-1' } },
      }),
    },
  ])('$name: $code $reason', async ({ name, code, reason, call: given }) => {
    if (name.startsWith('a renewal')) {
      const body = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'err-1', namespace: 'kube-node-lease' },
        spec: {},
      };
      await must({ method: 'POST', path: LEASE.replace('/err-1', ''), token: own, body, on: 'HeartbeatUrl' });
    }
    const { status, body } = await call<Status>(given());
    expect(body).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code });
    expect(body.message).toMatch(/\w+ \w+/);
    expect(status).toBe(code);
  });

  it('an expired token: 401 Unauthorized', async () => {
    const token = expired();
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    const { status } = await call({ method: 'GET', path: '/api/v1/nodes', token });
    expect(status).toBe(401);
  });

  it("a deleted node's token: void, also for its successor", async () => {
    await must({ method: 'DELETE', path: '/api/v1/nodes/err-2', token: admin });
    const path = '/apis/rollcall.dev/v1/nodes/err-2/heartbeat';
    expect((await call({ method: 'POST', path, token: other, on: 'HeartbeatUrl' })).status).toBe(404);
    await register('err-2');
    const { status } = await call({ method: 'POST', path, token: other, on: 'HeartbeatUrl' });
    expect([401, 403, 404]).toContain(status);
  });
});
