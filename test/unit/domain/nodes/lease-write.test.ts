import { describe, expect, it } from 'vitest';
import { refuseLeaseDeletion, refuseLeaseWrite } from '../../../../shared/domain/nodes/lease-write.ts';

const LEASE = { version: 7, lease: {} };
const OWN_LEASE = { ...LEASE, uid: 'u1' };
const MARKER = { version: 7 };
const ENTRY = { uid: 'u1' };

describe('refuseLeaseWrite', () => {
  it.each([
    ['creates where nothing is (K-02)', undefined, {}, undefined],
    ['creates beside a deleted Lease', MARKER, {}, undefined],
    ['creates in the entry of a node', ENTRY, {}, undefined],
    ['creates none where one is (K-01)', LEASE, {}, 'conflict'],
    ['renews the version that was read (K-01)', LEASE, { expected: 7 }, undefined],
    ['renews no other version (K-01)', LEASE, { expected: 6 }, 'conflict'],
    ['renews nothing where nothing is (K-02)', undefined, { expected: 7 }, 'absent'],
    ['renews no deleted Lease, whatever its version', MARKER, { expected: 7 }, 'absent'],
    ['lets a node create its own', ENTRY, { nodeUid: 'u1' }, undefined],
    ['lets a node renew its own', OWN_LEASE, { nodeUid: 'u1', expected: 7 }, undefined],
    ['lets no node create where it has no entry (K-03)', undefined, { nodeUid: 'u1' }, 'foreign'],
    [
      'lets no node take the Lease of its successor (K-03)',
      OWN_LEASE,
      { nodeUid: 'u0', expected: 7 },
      'foreign',
    ],
    ["tells a stranger nothing of another's version", OWN_LEASE, { nodeUid: 'u0', expected: 6 }, 'foreign'],
    ['asks nothing of who has no node', OWN_LEASE, { expected: 7 }, undefined],
  ] as const)('%s', (_name, item, write, expected) => {
    expect(refuseLeaseWrite(item, write)).toBe(expected);
  });
});

describe('refuseLeaseDeletion', () => {
  it.each([
    ['deletes any version where none is named', LEASE, undefined, undefined],
    ['deletes the version that is named (K-01)', LEASE, 7, undefined],
    ['deletes no other version', LEASE, 6, 'conflict'],
    ['finds nothing where nothing is (K-02)', undefined, undefined, 'absent'],
    ['finds no deleted Lease', MARKER, 7, 'absent'],
    ['finds none in the entry of a node', ENTRY, undefined, 'absent'],
  ] as const)('%s', (_name, item, expected, refusal) => {
    expect(refuseLeaseDeletion(item, expected)).toBe(refusal);
  });
});
