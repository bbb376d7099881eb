import { describe, expect, it } from 'vitest';
import { createTestApi } from '../../../support/servers/api.ts';

const BEAT = '/apis/rollcall.dev/v1/nodes/n1/heartbeat';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const DAY_MS = 24 * 3_600_000;

const aNode = async () => {
  const api = createTestApi();
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } };
  const { json } = await api.send('POST', '/api/v1/nodes', { as: 'admin', body: node });
  const as = { as: 'system:node:n1', nodeUid: json.metadata.uid };
  return { ...api, as, uid: json.metadata.uid };
};
const aLease = (resourceVersion?: string) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'n1', namespace: 'kube-node-lease', ...(resourceVersion ? { resourceVersion } : {}) },
  spec: { holderIdentity: 'n1', leaseDurationSeconds: 40, renewTime: '2026-01-05T00:00:00.000000Z' },
});

describe('a beat that is sent again (J-213)', () => {
  it('is answered as the first one', async () => {
    const { send, as } = await aNode();
    const first = await send('POST', BEAT, as);
    const again = await send('POST', BEAT, as);
    expect(again).toEqual(first);
    expect(again).toMatchObject({ code: 200, json: { kind: 'HeartbeatReceipt', node: 'n1' } });
  });

  it('renews on the condition of its version', async () => {
    const { send, as } = await aNode();
    let { json } = await send('POST', LEASES, { ...as, body: aLease() });
    for (let turn = 0; turn < 3; turn += 1) {
      const renewed = await send('PUT', `${LEASES}/n1`, {
        ...as,
        body: aLease(json.metadata.resourceVersion),
      });
      expect(renewed).toMatchObject({ code: 200, json: { kind: 'Lease' } });
      expect(Number(renewed.json.metadata.resourceVersion)).toBeGreaterThan(
        Number(json.metadata.resourceVersion),
      );
      ({ json } = renewed);
    }
    const stale = await send('PUT', `${LEASES}/n1`, { ...as, body: aLease('1') });
    expect(stale).toMatchObject({ code: 409, json: { reason: 'Conflict' } });
    const wrong = await send('PUT', `${LEASES}/n1`, { ...as, raw: '{' });
    expect(wrong.code).toBe(400);
  });

  it('is refused when its Node is gone, or another one has its name', async () => {
    const { send, as } = await aNode();
    await send('POST', BEAT, as);
    await send('POST', BEAT, as);
    await send('DELETE', '/api/v1/nodes/n1', { as: 'admin' });
    expect((await send('POST', BEAT, as)).code).toBe(404);
    await send('POST', '/api/v1/nodes', {
      as: 'admin',
      body: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } },
    });
    expect((await send('POST', BEAT, as)).code).toBe(404);
  });

  it('is refused when its token has expired', async () => {
    const { send, as, advance } = await aNode();
    const { json } = await send('POST', '/apis/rollcall.dev/v1/nodes/n1/token', as);
    const token: string = json.status?.token ?? json.token;
    await send('POST', BEAT, { token });
    expect((await send('POST', BEAT, { token })).code).toBe(200);
    advance(2 * DAY_MS);
    expect((await send('POST', BEAT, { token })).code).toBe(401);
  });
});
