import { expect, it } from 'vitest';
import type { Node } from '../../../../shared/kube/types/core.ts';
import { isClaimed } from '../../../../shared/rules/nodes/node-claim.ts';

const CREATED = 1_000;
const node = (reason?: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1' },
  ...(reason === undefined ? {} : { status: { conditions: [{ type: 'Ready', status: 'Unknown', reason }] } }),
});

it.each([
  ['registered and never heard of (C-04)', undefined, false, undefined, false],
  ['silent since its registration (C-04)', 'NodeStatusNeverUpdated', false, undefined, false],
  ['registered with an item of its own', undefined, false, { hasLease: false }, false],
  ['created with a status (C-03)', 'KubeletReady', false, { observedAt: CREATED, hasLease: false }, false],
  ['beating since (C-02)', undefined, false, { observedAt: CREATED + 1, hasLease: false }, true],
  ['renewing a Lease (C-01)', undefined, false, { observedAt: CREATED + 1, hasLease: true }, true],
  ['with a Lease from before (C-01)', undefined, false, { hasLease: true }, true],
  ['silent for a day after reports (C-05)', 'NodeStatusUnknown', false, undefined, true],
  ['silent for a day after plain beats (C-05)', 'HeartbeatReceived', false, undefined, true],
  ['registered by itself (C-01)', undefined, true, undefined, true],
  [
    'registered by itself, with a status',
    'KubeletReady',
    true,
    { observedAt: CREATED, hasLease: false },
    true,
  ],
])('a Node %s (%s) is claimed: %#', (_what, reason, spokeItself, beats, claimed) => {
  const facts = { createdAt: CREATED, ...(spokeItself ? { isClaimed: true as const } : {}) };
  expect(isClaimed(node(reason), facts, beats)).toBe(claimed);
});
