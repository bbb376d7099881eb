import { describe, expect, it } from 'vitest';
import type { HeartbeatItem } from '../../../../shared/ports/store/heartbeats.ts';
import { isBeatOnly } from '../../../../shared/rules/nodes/beat-only-change.ts';
import { packAges } from '../../../../shared/rules/relays/packed-ages.ts';
import { aLease, T0 } from '../../../support/stores/builders.ts';

const lease = aLease('n1', 'u1');
const item: HeartbeatItem = {
  namespace: 'kube-node-lease',
  name: 'n1',
  uid: 'u1',
  observedAt: T0,
  leaseAt: T0,
  version: T0,
  expiresAt: T0 + 9,
  workRevision: 3,
  lease,
};
const renewed = (changes: object) => ({ ...lease, spec: { ...lease.spec, ...changes } });

describe('a change that says only that the node is alive (J-210)', () => {
  it.each<[string, Partial<HeartbeatItem>]>([
    ['a plain heartbeat', { observedAt: T0 + 1, plainAt: T0 + 1, expiresAt: T0 + 10 }],
    ['a status', { observedAt: T0 + 1, statusAt: T0 + 1, times: { Ready: 'later' } }],
    ['a renewal', { leaseAt: T0 + 1, version: T0 + 1, lease: renewed({ renewTime: 'later' }) }],
    [
      'a renewal whose metadata was read again',
      { lease: { ...lease, metadata: structuredClone(lease.metadata) } },
    ],
  ])('is %s', (_, change) => {
    expect(isBeatOnly(item, { ...item, ...change })).toBe(true);
  });

  it.each<[string, Partial<HeartbeatItem>]>([
    ['another Node', { uid: 'u2' }],
    ['new work', { workRevision: 4 }],
    ['another relay', { relays: ['a/0'] }],
    ['an instant that was taken back', { aheadAt: T0 + 5 }],
    ['a silence that was survived', { patience: { silentMs: 31_000, learnedAt: T0 } }],
    ['another holder', { lease: renewed({ holderIdentity: 'other' }) }],
    ['another duration', { lease: renewed({ leaseDurationSeconds: 50 }) }],
    ['a new Lease', { lease: { ...lease, uid: 'other' } }],
    ['a label of the Lease', { lease: { ...lease, metadata: { labels: { a: 'b' } } } }],
  ])('is not %s', (_, change) => {
    expect(isBeatOnly(item, { ...item, ...change })).toBe(false);
  });

  it('is neither a deletion of the Lease, nor a first item, nor a Lease of no Node', () => {
    const { lease: _lease, ...bare } = item;
    const { uid: _uid, ...stray } = item;
    expect(isBeatOnly(item, bare)).toBe(false);
    expect(isBeatOnly(undefined, item)).toBe(false);
    const renewedStray: HeartbeatItem = { ...stray, version: T0 + 1 };
    expect(isBeatOnly(stray, renewedStray)).toBe(false);
  });
});

describe('a change of a part of a relay (J-210)', () => {
  const part: HeartbeatItem = {
    namespace: 'relay:beats',
    name: 'site#0',
    relayed: { sequence: 3, receivedAt: T0, roster: 2, ages: packAges([{ ageMs: 5, isPlain: false }]) },
    workChanges: 4,
    expiresAt: T0 + 9,
  };
  const { relayed: _relayed, ...unheard } = part;
  const later = { sequence: 9, receivedAt: T0 + 7, roster: 2, ages: packAges([null]) };

  it('says only that nodes are alive if it is a later batch', () => {
    const after: HeartbeatItem = { ...part, relayed: later, expiresAt: T0 + 10 };
    expect(isBeatOnly(part, after)).toBe(true);
  });

  it.each<[string, HeartbeatItem | undefined, Partial<HeartbeatItem>]>([
    ['the first batch', undefined, { relayed: later }],
    ['the first batch after new work', unheard, { relayed: later }],
    ['with another roster', part, { relayed: { ...later, roster: 3 } }],
    ['a receipt that is taken back', part, { relayed: { ...later, aheadAt: T0 + 9 } }],
    [
      'the end of one that was taken back',
      { ...part, relayed: { ...later, aheadAt: T0 + 9 } },
      { relayed: later },
    ],
    ['new work', part, { relayed: later, workChanges: 5 }],
  ])('says more if it is %s', (_, before, change) => {
    expect(isBeatOnly(before, { ...part, ...change })).toBe(false);
  });
});
