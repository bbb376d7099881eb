import { expect, it } from 'vitest';
import { renewLease } from '../../../../agent/node/renew-lease.ts';
import type { LeaseApi } from '../../../../agent/ports/api/lease-api.ts';
import { renewIntervalMs, renewPauseMs } from '../../../../agent/rules/node-status/lease.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import type { Lease } from '../../../../shared/kube/types/coordination.ts';

const START = Date.parse('2026-01-02T03:04:05.678Z');

const run = async (answers: Partial<LeaseApi>, forMs: number) => {
  const clock = createVirtualClock(START);
  const stop = new AbortController();
  const written: Lease[] = [];
  const store = async (lease: Lease): Promise<Lease> => {
    written.push(lease);
    return lease;
  };
  const leases: LeaseApi = {
    get: async () => undefined,
    create: store,
    update: store,
    nodeUid: async () => 'uid-n1',
    ...answers,
  };
  const sleep = async (ms: number): Promise<void> => {
    await clock.sleep(ms);
    if (clock.now() >= START + forMs) stop.abort();
  };
  const work = renewLease({
    leases,
    settings: { nodeName: 'n1', durationSeconds: 40 },
    pauseMs: () => renewPauseMs(renewIntervalMs(40), 0.5),
    clock: { now: clock.now, sleep },
    resetConnections: () => undefined,
    warn: () => undefined,
    signal: stop.signal,
  });
  await clock.run(work);
  return written;
};

it('makes the Lease with its owner, and renews it four times in its duration', async () => {
  const written = await run({}, 40_800);
  expect(written).toHaveLength(4);
  expect(written[0]).toEqual({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: 'n1',
      namespace: 'kube-node-lease',
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'uid-n1' }],
    },
    spec: { holderIdentity: 'n1', leaseDurationSeconds: 40, renewTime: '2026-01-02T03:04:05.678000Z' },
  });
  expect(written[3]?.spec?.renewTime).toBe('2026-01-02T03:04:36.278000Z');
});

it('writes nothing before there is a Node, and stops when it is told to while it waits for an answer', async () => {
  expect(await run({ nodeUid: () => Promise.reject(new Error('no Node')) }, 30_000)).toEqual([]);
  expect(await run({ get: () => Promise.reject(new Error('refused')) }, 30_000)).toEqual([]);
});
