// What a commit does to heartbeat items and asks of other rows, in the same transaction.
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { NODE_LEASE_NAMESPACE } from '../../../shared/kube/types/well-known.ts';
import type { Commit, HeartbeatEffect } from '../../../shared/ports/store/commit.ts';
import type { HeartbeatItem, HeartbeatStore } from '../../../shared/ports/store/heartbeats.ts';
import type { ObjectStore } from '../../../shared/ports/store/object-store.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import {
  aLease,
  type Change,
  change,
  EXPIRES_AT,
  nodeFacts,
  podFacts,
  podKey,
  T0,
} from '../../support/stores/builders.ts';

export interface Stores {
  readonly objects: ObjectStore;
  readonly heartbeats: HeartbeatStore;
}

const NODE = 'n1';
const LEASE_KEY = { namespace: NODE_LEASE_NAMESPACE, name: NODE };
const TIMES = { Ready: '2026-01-05T00:00:00Z' };

/** Creates the node with an entry in the roll call, as every create does. */
export const createNode = async (
  { objects }: Stores,
  uid: string = randomUUID(),
  name = NODE,
): Promise<{ uid: string; revision: number }> => {
  const { outcome, revision } = await change(objects, {
    key: nodeKey(name),
    uid,
    heartbeat: { effect: 'adopt', node: name, uid, expiresAt: EXPIRES_AT },
  });
  expect(outcome).toEqual({ outcome: 'committed' });
  return { uid, revision };
};

const effectsContract = (stores: () => Stores): void => {
  const item = (): Promise<HeartbeatItem | undefined> => stores().heartbeats.read(LEASE_KEY);
  const update = (heartbeat: HeartbeatEffect, given: Partial<Change> & { readonly expected: number }) =>
    change(stores().objects, { key: nodeKey(NODE), heartbeat, ...given });

  describe('adopt', () => {
    it('creates an entry without beats', async () => {
      const { uid } = await createNode(stores());
      expect(await item()).toEqual({ ...LEASE_KEY, uid, expiresAt: EXPIRES_AT });
    });

    it('creates an entry with the first beat', async () => {
      const uid = randomUUID();
      const beat = { at: T0, times: TIMES };
      const heartbeat = { effect: 'adopt', node: NODE, uid, beat, expiresAt: EXPIRES_AT } as const;
      await change(stores().objects, { key: nodeKey(NODE), uid, heartbeat });
      expect(await item()).toMatchObject({ uid, observedAt: T0, statusAt: T0, times: TIMES });
    });

    it('takes over an item without uid: keeps its Lease and clears its beats', async () => {
      const lease = aLease(NODE, randomUUID());
      await stores().heartbeats.writeLease({ key: LEASE_KEY, lease, at: T0, expiresAt: EXPIRES_AT });
      const { uid } = await createNode(stores());
      expect(await item()).toEqual({ ...LEASE_KEY, uid, lease, version: T0, expiresAt: EXPIRES_AT });
    });

    it('clears nothing when the create is refused', async () => {
      const { uid, revision } = await createNode(stores());
      await stores().heartbeats.beat({ node: NODE, source: 'plain', at: T0, expiresAt: EXPIRES_AT });
      const heartbeat = { effect: 'adopt', node: NODE, uid: randomUUID(), expiresAt: EXPIRES_AT } as const;
      const again = await change(stores().objects, { key: nodeKey(NODE), heartbeat });
      expect(again.outcome).toEqual({ outcome: 'objectConflict' });
      expect(again.revision).toBeGreaterThan(revision);
      expect(await item()).toMatchObject({ uid, observedAt: T0 });
    });
  });

  describe('retire', () => {
    const retire = (version: number): HeartbeatEffect => ({
      effect: 'retire',
      node: NODE,
      version,
      expiresAt: EXPIRES_AT,
    });

    it('turns the entry into a marker with a higher version', async () => {
      const { uid, revision } = await createNode(stores());
      await stores().heartbeats.beat({ node: NODE, source: 'plain', at: T0, expiresAt: EXPIRES_AT });
      await stores().heartbeats.bumpWorkRevision(NODE, T0);
      const lease = aLease(NODE, uid);
      await stores().heartbeats.writeLease({ key: LEASE_KEY, lease, at: T0, expiresAt: EXPIRES_AT });
      const { outcome } = await update(retire(T0 + 50), { expected: revision, type: 'DELETED' });
      expect(outcome).toEqual({ outcome: 'committed' });
      expect(await item()).toEqual({ ...LEASE_KEY, version: T0 + 50, expiresAt: EXPIRES_AT });
    });

    it('refuses a version that the Lease has reached', async () => {
      const { uid, revision } = await createNode(stores());
      const lease = aLease(NODE, uid);
      await stores().heartbeats.writeLease({ key: LEASE_KEY, lease, at: T0, expiresAt: EXPIRES_AT });
      const { outcome } = await update(retire(T0), { expected: revision, type: 'DELETED' });
      expect(outcome).toEqual({ outcome: 'checkFailed' });
      expect(await stores().objects.read(nodeKey(NODE))).toMatchObject({ state: 'live' });
    });

    it('refuses beats of the deleted node, also for its successor', async () => {
      const { uid, revision } = await createNode(stores());
      await update(retire(T0 + 50), { expected: revision, type: 'DELETED' });
      const beat = { node: NODE, source: 'plain', at: T0 + 60, uid, expiresAt: EXPIRES_AT } as const;
      expect((await stores().heartbeats.beat(beat)).outcome).toBe('refused');
      const next = await createNode(stores());
      expect((await stores().heartbeats.beat(beat)).outcome).toBe('refused');
      expect(await item()).toEqual({ ...LEASE_KEY, uid: next.uid, version: T0 + 50, expiresAt: EXPIRES_AT });
    });
  });

  describe('beat', () => {
    const beat = (uid: string, at: number): HeartbeatEffect => ({
      effect: 'beat',
      node: NODE,
      uid,
      beat: { at, times: TIMES },
      expiresAt: EXPIRES_AT,
    });

    it('moves the entry together with the object', async () => {
      const { uid, revision } = await createNode(stores());
      const { outcome } = await update(beat(uid, T0 + 5), { expected: revision });
      expect(outcome).toEqual({ outcome: 'committed' });
      expect(await item()).toMatchObject({ observedAt: T0 + 5, statusAt: T0 + 5, times: TIMES });
    });

    it('takes over a Lease that was created after the entry had expired', async () => {
      const created = await change(stores().objects, { key: nodeKey(NODE) });
      const { uid } = created.commit;
      const write = { key: LEASE_KEY, lease: aLease(NODE, uid), at: T0 + 9, expiresAt: EXPIRES_AT };
      await stores().heartbeats.writeLease(write);
      const { outcome } = await update(beat(uid, T0 + 5), { uid, expected: created.revision });
      expect(outcome).toEqual({ outcome: 'committed' });
      expect(await item()).toMatchObject({ uid, observedAt: T0 + 5, version: T0 + 9 });
    });

    it('never moves observedAt backwards', async () => {
      const { uid, revision } = await createNode(stores());
      await stores().heartbeats.beat({ node: NODE, source: 'plain', at: T0 + 9, expiresAt: EXPIRES_AT });
      const { outcome } = await update(beat(uid, T0 + 5), { expected: revision });
      expect(outcome).toEqual({ outcome: 'committed' });
      expect(await item()).toMatchObject({
        observedAt: T0 + 9,
        statusAt: T0 + 5,
        plainAt: T0 + 9,
        times: TIMES,
      });
    });

    it('creates an expired entry again', async () => {
      const { uid, revision } = {
        uid: randomUUID(),
        ...(await change(stores().objects, { key: nodeKey(NODE) })),
      };
      const { outcome } = await update(beat(uid, T0 + 5), { expected: revision });
      expect(outcome).toEqual({ outcome: 'committed' });
      expect(await item()).toMatchObject({ uid, observedAt: T0 + 5 });
    });

    it("refuses another node's uid", async () => {
      const { revision } = await createNode(stores());
      const { outcome } = await update(beat(randomUUID(), T0 + 5), { expected: revision });
      expect(outcome).toEqual({ outcome: 'checkFailed' });
    });

    it('does not move the entry when the object conflicts', async () => {
      const { uid, revision } = await createNode(stores());
      const { outcome } = await update(beat(uid, T0 + 5), { expected: revision - 1 });
      expect(outcome).toEqual({ outcome: 'objectConflict' });
      expect(await item()).not.toHaveProperty('observedAt');
    });
  });

  describe('unmoved', () => {
    const unmoved = (observedAt: number | undefined): HeartbeatEffect => ({
      effect: 'unmoved',
      node: NODE,
      observedAt,
    });

    it('accepts a write while the newest beat is the one that was read', async () => {
      const { revision } = await createNode(stores());
      await stores().heartbeats.beat({ node: NODE, source: 'plain', at: T0, expiresAt: EXPIRES_AT });
      const { outcome } = await update(unmoved(T0), { expected: revision });
      expect(outcome).toEqual({ outcome: 'committed' });
    });

    it('accepts a write if no beat was ever stored, and if there is no entry', async () => {
      const { revision } = await createNode(stores());
      expect((await update(unmoved(undefined), { expected: revision })).outcome).toEqual({
        outcome: 'committed',
      });
      const other = await change(stores().objects, {
        key: nodeKey('n2'),
        heartbeat: { effect: 'unmoved', node: 'n2', observedAt: undefined },
      });
      expect(other.outcome).toEqual({ outcome: 'committed' });
    });

    it.each([
      ['an earlier beat', T0],
      ['no beat', undefined],
    ])('refuses a write after a new beat if %s was read', async (_, read) => {
      const { revision } = await createNode(stores());
      await stores().heartbeats.beat({ node: NODE, source: 'plain', at: T0 + 1, expiresAt: EXPIRES_AT });
      const { outcome } = await update(unmoved(read), { expected: revision });
      expect(outcome).toEqual({ outcome: 'checkFailed' });
      expect(await stores().objects.read(nodeKey(NODE))).toMatchObject({ revision });
    });
  });
};

const checkContract = (stores: () => Stores): void => {
  describe('check of the NoExecute taints of a node', () => {
    const taint = { key: 'node.kubernetes.io/unreachable', since: T0 };
    const evict = (noExecute: readonly (typeof taint)[]) =>
      change(stores().objects, {
        key: podKey('p1'),
        facts: { pod: podFacts({ nodeName: NODE }) },
        check: { node: NODE, noExecute },
      });

    it.each([
      ['the same taint', [taint], [taint], 'committed'],
      ['no taint', [], [], 'committed'],
      ['a taint that went', [], [taint], 'checkFailed'],
      ['a taint that came', [taint], [], 'checkFailed'],
      ['another instant', [{ ...taint, since: T0 + 1 }], [taint], 'checkFailed'],
    ])('has the right outcome for %s', async (_, stored, read, outcome) => {
      await change(stores().objects, {
        key: nodeKey(NODE),
        facts: { node: nodeFacts({ noExecute: stored }) },
      });
      expect((await evict(read)).outcome).toEqual({ outcome });
    });

    it('fails if the node was deleted or never existed', async () => {
      expect((await evict([])).outcome).toEqual({ outcome: 'checkFailed' });
      const { revision } = await change(stores().objects, { key: nodeKey(NODE) });
      await change(stores().objects, { key: nodeKey(NODE), expected: revision, type: 'DELETED' });
      expect((await evict([])).outcome).toEqual({ outcome: 'checkFailed' });
      expect(await stores().objects.read(podKey('p1'))).toBeUndefined();
    });
  });
};

const rowsContract = (stores: () => Stores): void => {
  describe('checks of other rows', () => {
    const OWNER = { resource: 'configmaps', namespace: 'default', name: 'owner' };
    const made = () => change(stores().objects, { key: OWNER, uid: 'owner-uid' });
    const outcomeWith = async (...rows: NonNullable<Commit['rows']>) =>
      (await change(stores().objects, { key: podKey(`p-${randomUUID()}`), rows })).outcome.outcome;
    const gone = (goneUid = 'owner-uid') => ({ key: OWNER, goneUid });

    it('hold for an object that never was, that is gone, and that has another uid', async () => {
      expect(await outcomeWith(gone())).toBe('committed');
      const { revision } = await made();
      expect(await outcomeWith(gone())).toBe('checkFailed');
      expect(await outcomeWith(gone('other'))).toBe('committed');
      await change(stores().objects, { key: OWNER, uid: 'owner-uid', expected: revision, type: 'DELETED' });
      expect(await outcomeWith(gone())).toBe('committed');
    });

    it('of a row without an object hold while none is there, whatever uid the last one had (K-82)', async () => {
      const none = { key: OWNER, isGone: true } as const;
      expect(await outcomeWith(none)).toBe('committed');
      const { revision } = await made();
      expect(await outcomeWith(none)).toBe('checkFailed');
      await change(stores().objects, { key: OWNER, uid: 'owner-uid', expected: revision, type: 'DELETED' });
      expect(await outcomeWith(none)).toBe('committed');
    });

    it('of a row without an object can ask for the last uid (K-82)', async () => {
      const none = (lastUid: string) => ({ key: OWNER, isGone: true, lastUid }) as const;
      expect(await outcomeWith(none(''))).toBe('committed');
      expect(await outcomeWith(none('owner-uid'))).toBe('committed');
      const { revision } = await made();
      expect(await outcomeWith(none('owner-uid'))).toBe('checkFailed');
      await change(stores().objects, { key: OWNER, uid: 'owner-uid', expected: revision, type: 'DELETED' });
      expect(await outcomeWith(none('owner-uid'))).toBe('committed');
      expect(await outcomeWith(none('other'))).toBe('checkFailed');
      expect(await outcomeWith(none(''))).toBe('checkFailed');
    });

    it('hold for an object that is as it was read', async () => {
      expect(await outcomeWith({ key: OWNER, revision: 1 })).toBe('checkFailed');
      const { revision } = await made();
      expect(await outcomeWith({ key: OWNER, revision })).toBe('committed');
      const next = await change(stores().objects, { key: OWNER, uid: 'owner-uid', expected: revision });
      expect(await outcomeWith({ key: OWNER, revision })).toBe('checkFailed');
      const end = { key: OWNER, uid: 'owner-uid', expected: next.revision, type: 'DELETED' } as const;
      const { revision: last } = await change(stores().objects, end);
      expect(await outcomeWith({ key: OWNER, revision: last })).toBe('checkFailed');
    });

    it('fail the whole commit if one of them fails, and two may not be about one row', async () => {
      const { revision } = await made();
      const other = { key: podKey('other'), goneUid: 'u' };
      const key = podKey('p1');
      const rows = [other, { key: OWNER, revision: revision - 1 }];
      expect((await change(stores().objects, { key, rows })).outcome).toEqual({ outcome: 'checkFailed' });
      expect(await stores().objects.read(key)).toBeUndefined();
      expect(await outcomeWith(other, { key: OWNER, revision })).toBe('committed');
      await expect(outcomeWith(gone('a'), gone('b'))).rejects.toThrow();
    });
  });
};

const tokenUseContract = (stores: () => Stores): void => {
  const makeWith = async (id: string, most: number, name: string = randomUUID(), expected?: number) => {
    const tokenUse = { id, most, expiresAt: EXPIRES_AT };
    const given = { key: nodeKey(name), tokenUse, ...(expected === undefined ? {} : { expected }) };
    return (await change(stores().objects, given)).outcome.outcome;
  };

  describe('uses of a token', () => {
    it('are counted with the commits that were written, up to the most (W-37)', async () => {
      const id = randomUUID();
      const outcomes = [];
      for (let made = 0; made < 4; made += 1) outcomes.push(await makeWith(id, 3));
      expect(outcomes).toEqual(['committed', 'committed', 'committed', 'checkFailed']);
      expect(await makeWith(randomUUID(), 1)).toBe('committed');
    });

    it('are not counted for a commit that is refused, nor is that written for which none is left (W-37)', async () => {
      const id = randomUUID();
      const name = randomUUID();
      expect(await makeWith(id, 1, name, 7)).toBe('objectConflict');
      expect(await makeWith(id, 1, name)).toBe('committed');
      const other = randomUUID();
      expect(await makeWith(id, 1, other)).toBe('checkFailed');
      expect(await stores().objects.read(nodeKey(other))).toBeUndefined();
    });

    it('are counted once for an attempt that is sent twice (W-37)', async () => {
      const tokenUse = { id: randomUUID(), most: 2, expiresAt: EXPIRES_AT };
      const { commit } = await change(stores().objects, { key: nodeKey(randomUUID()), tokenUse });
      expect(await stores().objects.commit(commit)).toEqual({ outcome: 'committed' });
      expect(await makeWith(tokenUse.id, 2)).toBe('committed');
      expect(await makeWith(tokenUse.id, 2)).toBe('checkFailed');
    });

    it('of many at once no more are counted than there are (W-37)', async () => {
      const id = randomUUID();
      const outcomes = await Promise.all(Array.from({ length: 8 }, () => makeWith(id, 3)));
      expect(outcomes.filter((outcome) => outcome === 'committed').length).toBeLessThanOrEqual(3);
      for (let more = 0; more < 4; more += 1) outcomes.push(await makeWith(id, 3));
      expect(outcomes.filter((outcome) => outcome === 'committed')).toHaveLength(3);
    });
  });
};

export const commitEffectsContract = (name: string, create: () => Promise<Stores>): void => {
  describe(`ObjectStore with HeartbeatStore: ${name}`, () => {
    let stores: Stores;
    const current = () => stores;
    beforeEach(async () => {
      stores = await create();
    });
    effectsContract(current);
    checkContract(current);
    rowsContract(current);
    tokenUseContract(current);
  });
};
