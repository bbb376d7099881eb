import { describe, expect, it } from 'vitest';
import { refuseLeaseDeletion, refuseLeaseWrite } from '../../../../shared/rules/nodes/lease-refusal.ts';

const LEASE = { version: 7, lease: {} };
const OWN_LEASE = { ...LEASE, uid: 'u1' };
const MARKER = { version: 7 };
const ENTRY = { uid: 'u1' };

describe('refuseLeaseWrite', () => {
  it.each([
    ['accepts a create without an item (K-02)', undefined, {}, undefined],
    ['creates beside a deleted Lease', MARKER, {}, undefined],
    ['creates in the entry of a node', ENTRY, {}, undefined],
    ['refuses a create of an existing Lease (K-01)', LEASE, {}, 'conflict'],
    ['renews the version that was read (K-01)', LEASE, { expected: 7 }, undefined],
    ['renews no other version (K-01)', LEASE, { expected: 6 }, 'conflict'],
    ['refuses a renewal without an item (K-02)', undefined, { expected: 7 }, 'absent'],
    ['refuses a renewal of a deleted Lease, regardless of its version', MARKER, { expected: 7 }, 'absent'],
    ['lets a node create its own', ENTRY, { nodeUid: 'u1' }, undefined],
    ['lets a node renew its own', OWN_LEASE, { nodeUid: 'u1', expected: 7 }, undefined],
    ['refuses a create by a node without an entry (K-03)', undefined, { nodeUid: 'u1' }, 'foreign'],
    [
      'lets no node take the Lease of its successor (K-03)',
      OWN_LEASE,
      { nodeUid: 'u0', expected: 7 },
      'foreign',
    ],
    ["tells a stranger nothing of another's version", OWN_LEASE, { nodeUid: 'u0', expected: 6 }, 'foreign'],
    [
      'renews the version of a renewal that was lost (J-212)',
      OWN_LEASE,
      { expected: 8, mayHaveLost: true },
      undefined,
    ],
    [
      'renews no version above the stored one if none can be lost',
      OWN_LEASE,
      { expected: 8, mayHaveLost: false },
      'conflict',
    ],
    ['renews no version before the stored one', OWN_LEASE, { expected: 6, mayHaveLost: true }, 'conflict'],
    ['lost no renewal of a Lease of no Node', LEASE, { expected: 8, mayHaveLost: true }, 'conflict'],
    [
      'lost no renewal of a deleted Lease',
      { uid: 'u1', version: 7 },
      { expected: 8, mayHaveLost: true },
      'absent',
    ],
    ['does not check the uid for senders that are not nodes', OWN_LEASE, { expected: 7 }, undefined],
  ] as const)('%s', (_name, item, write, expected) => {
    expect(refuseLeaseWrite(item, write)).toBe(expected);
  });
});

describe('refuseLeaseDeletion', () => {
  it.each([
    ['accepts any version if none is given', LEASE, undefined, undefined],
    ['deletes the version that is named (K-01)', LEASE, 7, undefined],
    ['deletes no other version', LEASE, 6, 'conflict'],
    ['refuses without an item (K-02)', undefined, undefined, 'absent'],
    ['finds no deleted Lease', MARKER, 7, 'absent'],
    ['finds none in the entry of a node', ENTRY, undefined, 'absent'],
  ] as const)('%s', (_name, item, expected, refusal) => {
    expect(refuseLeaseDeletion(item, expected)).toBe(refusal);
  });
});
