// What every HeartbeatStore keeps to.
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { NODE_LEASE_NAMESPACE } from '../../../shared/kube/types/well-known.ts';
import type {
  Beat,
  HeartbeatItem,
  HeartbeatStore,
  LeaseWrite,
  TakeBack,
} from '../../../shared/ports/store/heartbeats.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { aLease, change, EXPIRES_AT, T0 } from '../../support/stores/builders.ts';
import { createNode, type Stores } from './commit-effects.contract.ts';
import { relayStoreContract } from './relay-store.contract.ts';

const NODE = 'n1';
const KEY = { namespace: NODE_LEASE_NAMESPACE, name: NODE };
const TIMES = { Ready: '2026-01-05T00:00:00Z' };

const aBeat = (beat: Partial<Beat> = {}): Beat => ({
  node: NODE,
  source: 'plain',
  at: T0,
  expiresAt: EXPIRES_AT,
  ...beat,
});

const beatContract = (stores: () => Stores): void => {
  const heartbeats = (): HeartbeatStore => stores().heartbeats;

  describe('beat', () => {
    it.each([
      ['plain', { plainAt: T0 }],
      ['relay', { relayAt: T0 }],
      ['status', { statusAt: T0, times: TIMES }],
    ] as const)('of source %s moves the instant of the source and observedAt', async (source, moved) => {
      const { uid } = await createNode(stores());
      const times = source === 'status' ? { times: TIMES } : {};
      const item = { ...KEY, uid, observedAt: T0, expiresAt: EXPIRES_AT, ...moved };
      expect(await heartbeats().beat(aBeat({ source, ...times }))).toEqual({ outcome: 'accepted', item });
      expect(await heartbeats().read(KEY)).toEqual(item);
    });

    it('keeps the instants of the other sources', async () => {
      await createNode(stores());
      await heartbeats().beat(aBeat({ source: 'status', times: TIMES }));
      await heartbeats().beat(aBeat({ at: T0 + 10 }));
      expect(await heartbeats().read(KEY)).toMatchObject({
        statusAt: T0,
        plainAt: T0 + 10,
        observedAt: T0 + 10,
        times: TIMES,
      });
    });

    it('succeeds if a later one is stored, and keeps that', async () => {
      await createNode(stores());
      await heartbeats().beat(aBeat({ at: T0 + 10 }));
      const { outcome, item } = await heartbeats().beat(aBeat());
      expect(outcome).toBe('accepted');
      expect(item).toMatchObject({ observedAt: T0 + 10, plainAt: T0 + 10 });
      expect(await heartbeats().read(KEY)).toEqual(item);
    });

    it('moves the instant of its own source even if another source is later', async () => {
      await createNode(stores());
      await heartbeats().beat(aBeat({ at: T0 + 10 }));
      const late = await heartbeats().beat(aBeat({ source: 'status', times: TIMES }));
      expect(late).toMatchObject({
        outcome: 'accepted',
        item: { observedAt: T0 + 10, plainAt: T0 + 10, statusAt: T0, times: TIMES },
      });
    });

    it('is accepted again at the same instant', async () => {
      await createNode(stores());
      await heartbeats().beat(aBeat());
      expect((await heartbeats().beat(aBeat())).outcome).toBe('accepted');
    });

    it("is accepted with the node's uid and refused with another", async () => {
      const { uid } = await createNode(stores());
      expect((await heartbeats().beat(aBeat({ uid }))).outcome).toBe('accepted');
      const refused = await heartbeats().beat(aBeat({ uid: randomUUID(), at: T0 + 10 }));
      expect(refused).toMatchObject({ outcome: 'refused', item: { uid, observedAt: T0 } });
    });

    it('is refused without an item, and creates none', async () => {
      expect(await heartbeats().beat(aBeat())).toEqual({ outcome: 'refused', item: undefined });
      expect(await heartbeats().read(KEY)).toBeUndefined();
    });

    it('is refused by a Lease that belongs to no Node', async () => {
      const lease = aLease(NODE, randomUUID());
      await heartbeats().writeLease({ key: KEY, lease, at: T0, expiresAt: EXPIRES_AT });
      expect(await heartbeats().beat(aBeat({ at: T0 + 5 }))).toMatchObject({
        outcome: 'refused',
        item: { lease, observedAt: T0 },
      });
    });

    it('is not lost among many concurrent ones', async () => {
      await createNode(stores());
      const instants = Array.from({ length: 10 }, (_, n) => T0 + n);
      await Promise.all(instants.map((at) => heartbeats().beat(aBeat({ at }))));
      expect(await heartbeats().read(KEY)).toMatchObject({ observedAt: T0 + 9, plainAt: T0 + 9 });
    });
  });

  describe('remake', () => {
    const uid = randomUUID();
    const remake = (beat: Partial<Beat> = {}) => heartbeats().remake({ ...aBeat(beat), uid });

    it('creates the entry of an existing node again', async () => {
      await change(stores().objects, { key: nodeKey(NODE), uid });
      const item = { ...KEY, uid, observedAt: T0, plainAt: T0, expiresAt: EXPIRES_AT };
      expect(await remake()).toEqual({ outcome: 'accepted', item });
      expect(await heartbeats().read(KEY)).toEqual(item);
    });

    it('keeps a Lease that was created in the meantime', async () => {
      await change(stores().objects, { key: nodeKey(NODE), uid });
      const lease = aLease(NODE, uid);
      await heartbeats().writeLease({ key: KEY, lease, at: T0, expiresAt: EXPIRES_AT });
      const remade = await remake({ at: T0 + 5, source: 'status', times: TIMES });
      const item = { uid, lease, version: T0, observedAt: T0 + 5, statusAt: T0 + 5, times: TIMES };
      expect(remade).toMatchObject({ outcome: 'accepted', item });
    });

    it('stores a beat if another caller has created the entry first', async () => {
      await createNode(stores(), uid);
      await heartbeats().beat(aBeat({ source: 'relay' }));
      const remade = await remake({ at: T0 + 5 });
      expect(remade).toMatchObject({ outcome: 'accepted', item: { relayAt: T0, plainAt: T0 + 5 } });
    });

    it('is refused if the node does not exist', async () => {
      expect(await remake()).toEqual({ outcome: 'refused', item: undefined });
      const { revision } = await change(stores().objects, { key: nodeKey(NODE), uid });
      await change(stores().objects, { key: nodeKey(NODE), uid, expected: revision, type: 'DELETED' });
      expect((await remake()).outcome).toBe('refused');
      await change(stores().objects, { key: nodeKey(NODE), uid: randomUUID() });
      expect((await remake()).outcome).toBe('refused');
      expect(await heartbeats().read(KEY)).toBeUndefined();
    });
  });

  describe('takeBack', () => {
    const AHEAD = T0 + 3_600_000;
    const AHEAD_EXPIRY = EXPIRES_AT + 3_600_000;
    const taking = (uid: string, more: Partial<TakeBack> = {}): TakeBack => ({
      node: NODE,
      uid,
      read: { observedAt: AHEAD, plainAt: AHEAD, statusAt: T0, expiresAt: AHEAD_EXPIRY },
      next: { observedAt: T0, plainAt: T0, aheadAt: AHEAD, expiresAt: EXPIRES_AT },
      ...more,
    });
    const beaten = async (): Promise<string> => {
      const { uid } = await createNode(stores());
      await heartbeats().beat(aBeat({ source: 'status', times: TIMES }));
      await heartbeats().beat(aBeat({ at: AHEAD, expiresAt: AHEAD_EXPIRY }));
      return uid;
    };

    it('replaces the instants that it names, and keeps the others', async () => {
      const uid = await beaten();
      expect(await heartbeats().takeBack(taking(uid))).toBe(true);
      const item = { ...KEY, uid, observedAt: T0, plainAt: T0, statusAt: T0, times: TIMES };
      expect(await heartbeats().read(KEY)).toEqual({ ...item, aheadAt: AHEAD, expiresAt: EXPIRES_AT });
    });

    it('lets the next beat move the instants again', async () => {
      await heartbeats().takeBack(taking(await beaten()));
      await heartbeats().beat(aBeat({ at: T0 + 10 }));
      expect(await heartbeats().read(KEY)).toMatchObject({ observedAt: T0 + 10, plainAt: T0 + 10 });
    });

    it('writes nothing over instants that are not as read, or for another node', async () => {
      const uid = await beaten();
      const before = await heartbeats().read(KEY);
      const { read } = taking(uid);
      expect(await heartbeats().takeBack(taking(uid, { read: { ...read, plainAt: T0 } }))).toBe(false);
      expect(await heartbeats().takeBack(taking(uid, { read: { ...read, aheadAt: T0 } }))).toBe(false);
      expect(await heartbeats().takeBack(taking(randomUUID()))).toBe(false);
      expect(await heartbeats().read(KEY)).toEqual(before);
    });

    it('makes no item where none is', async () => {
      expect(await heartbeats().takeBack(taking(randomUUID(), { read: {} }))).toBe(false);
      expect(await heartbeats().read(KEY)).toBeUndefined();
    });

    it('is forgotten with the node', async () => {
      const uid = await beaten();
      await heartbeats().takeBack(taking(uid));
      const { revision } = (await stores().objects.read(nodeKey(NODE))) ?? { revision: 0 };
      const retire = { effect: 'retire', node: NODE, version: T0 + 20, expiresAt: EXPIRES_AT } as const;
      await change(stores().objects, {
        key: nodeKey(NODE),
        uid,
        expected: revision,
        type: 'DELETED',
        heartbeat: retire,
      });
      expect(await heartbeats().read(KEY)).toEqual({ ...KEY, version: T0 + 20, expiresAt: EXPIRES_AT });
      expect(await heartbeats().takeBack(taking(uid))).toBe(false);
    });
  });

  describe('learn', () => {
    const learned = { silentMs: 31_000, learnedAt: T0 };
    const later = { silentMs: 52_500, learnedAt: T0 + 90_000 };
    const beaten = async (): Promise<string> => {
      const { uid } = await createNode(stores());
      await heartbeats().beat(aBeat());
      return uid;
    };

    it('stores a patience that beats and Leases keep (V-81)', async () => {
      const uid = await beaten();
      expect(await heartbeats().learn({ node: NODE, uid, read: undefined, next: learned })).toBe(true);
      const item = { ...KEY, uid, observedAt: T0, plainAt: T0, expiresAt: EXPIRES_AT, patience: learned };
      expect(await heartbeats().read(KEY)).toEqual(item);
      const beat = await heartbeats().beat(aBeat({ at: T0 + 10 }));
      expect(beat.item?.patience).toEqual(learned);
      await heartbeats().writeLease({
        key: KEY,
        lease: aLease(NODE, uid),
        at: T0 + 20,
        expiresAt: EXPIRES_AT,
      });
      expect(await heartbeats().learn({ node: NODE, uid, read: learned, next: later })).toBe(true);
      expect(await heartbeats().read(KEY)).toMatchObject({ patience: later, leaseAt: T0 + 20 });
    });

    it('writes nothing over a patience that is not as read, or for another node', async () => {
      const uid = await beaten();
      const change = { node: NODE, uid, next: later };
      expect(await heartbeats().learn({ ...change, read: learned })).toBe(false);
      await heartbeats().learn({ ...change, read: undefined, next: learned });
      const before = await heartbeats().read(KEY);
      const others = [undefined, later, { ...learned, learnedAt: T0 + 1 }, { ...learned, silentMs: 1 }];
      for (const read of others) expect(await heartbeats().learn({ ...change, read })).toBe(false);
      expect(await heartbeats().learn({ ...change, uid: randomUUID(), read: learned })).toBe(false);
      expect(await heartbeats().read(KEY)).toEqual(before);
    });

    it('makes no item where none is', async () => {
      const change = { node: NODE, uid: randomUUID(), read: undefined, next: learned };
      expect(await heartbeats().learn(change)).toBe(false);
      expect(await heartbeats().read(KEY)).toBeUndefined();
    });

    it('is forgotten with the node, and unknown of the next one of its name', async () => {
      const uid = await beaten();
      await heartbeats().learn({ node: NODE, uid, read: undefined, next: learned });
      const { revision } = (await stores().objects.read(nodeKey(NODE))) ?? { revision: 0 };
      const retire = { effect: 'retire', node: NODE, version: T0 + 20, expiresAt: EXPIRES_AT } as const;
      const gone = {
        key: nodeKey(NODE),
        uid,
        expected: revision,
        type: 'DELETED',
        heartbeat: retire,
      } as const;
      await change(stores().objects, gone);
      expect((await heartbeats().read(KEY))?.patience).toBeUndefined();
      const next = randomUUID();
      await createNode(stores(), next);
      await heartbeats().beat(aBeat({ at: T0 + 30 }));
      expect(await heartbeats().read(KEY)).toEqual({
        ...KEY,
        uid: next,
        version: T0 + 20,
        observedAt: T0 + 30,
        plainAt: T0 + 30,
        expiresAt: EXPIRES_AT,
      });
    });
  });

  describe('workRevision', () => {
    it('starts at the current time, counts up, and is returned with a beat', async () => {
      await createNode(stores());
      await heartbeats().bumpWorkRevision(NODE, T0);
      const first = (await heartbeats().read(KEY))?.workRevision;
      expect(first).toBe(T0);
      await heartbeats().bumpWorkRevision(NODE, T0 + 100);
      expect((await heartbeats().beat(aBeat())).item?.workRevision).toBe(T0 + 1);
    });

    it('does nothing without an entry of a node', async () => {
      await heartbeats().bumpWorkRevision(NODE, T0);
      expect(await heartbeats().read(KEY)).toBeUndefined();
    });
  });
};

const leaseContract = (stores: () => Stores): void => {
  const heartbeats = (): HeartbeatStore => stores().heartbeats;
  const lease = aLease(NODE, randomUUID());
  const write = (given: Partial<LeaseWrite> = {}) =>
    heartbeats().writeLease({ key: KEY, lease, at: T0, expiresAt: EXPIRES_AT, ...given });

  describe('writeLease', () => {
    it('creates a Lease without an item', async () => {
      const item = { ...KEY, lease, version: T0, observedAt: T0, leaseAt: T0, expiresAt: EXPIRES_AT };
      expect(await write()).toEqual({ outcome: 'stored', item });
      expect(await heartbeats().read(KEY)).toEqual(item);
    });

    it('keeps every field of spec and metadata, in any namespace', async () => {
      const key = { namespace: 'kube-system', name: 'leader' };
      const rich = {
        ...lease,
        uid: 'not-a-uuid',
        spec: { holderIdentity: 'a_b', leaseTransitions: 3, strategy: 'OldestEmulationVersion' },
        metadata: { labels: { a: 'b' }, annotations: { c: 'ü' }, finalizers: ['x/y'] },
      };
      await write({ key, lease: rich });
      expect((await heartbeats().read(key))?.lease).toEqual(rich);
    });

    it('renews with the version that was read', async () => {
      const { uid } = await createNode(stores());
      await write();
      await heartbeats().bumpWorkRevision(NODE, T0);
      const renewed = { ...lease, spec: { ...lease.spec, renewTime: '2026-01-05T00:00:10.000000Z' } };
      const { outcome, item } = await write({ lease: renewed, at: T0 + 10_000, expected: T0 });
      expect(outcome).toBe('stored');
      const instants = { version: T0 + 10_000, leaseAt: T0 + 10_000 };
      expect(item).toMatchObject({ uid, lease: renewed, ...instants, workRevision: T0 });
    });

    it('keeps the uid and creation time of the Lease in a renewal', async () => {
      await write();
      const other = { ...lease, uid: randomUUID(), createdAt: T0 + 5_000 };
      const { item } = await write({ lease: other, at: T0 + 10_000, expected: T0 });
      expect(item?.lease).toEqual(lease);
    });

    it('increases the version by at least one, even if the clock was set back', async () => {
      await write({ at: T0 + 100 });
      const { item } = await write({ at: T0, expected: T0 + 100 });
      expect(item).toMatchObject({ version: T0 + 101, leaseAt: T0 + 100, observedAt: T0 + 100 });
    });

    it('stores a renewal that arrives after a later beat, and moves only its own instant', async () => {
      await createNode(stores());
      await write();
      await heartbeats().beat(aBeat({ at: T0 + 500 }));
      const { outcome, item } = await write({ at: T0 + 400, expected: T0 });
      expect(outcome).toBe('stored');
      expect(item).toMatchObject({ version: T0 + 400, leaseAt: T0 + 400, observedAt: T0 + 500 });
    });

    it('conflicts with another version, and a create with any Lease', async () => {
      await write();
      expect((await write({ expected: T0 - 1, at: T0 + 1 })).outcome).toBe('conflict');
      expect(await write({ at: T0 + 5 })).toMatchObject({ outcome: 'conflict', item: { version: T0 } });
    });

    it('reports a Lease that is absent', async () => {
      expect(await write({ expected: T0 })).toEqual({ outcome: 'absent', item: undefined });
      const { uid } = await createNode(stores());
      expect(await write({ expected: T0 })).toMatchObject({ outcome: 'absent', item: { uid } });
    });

    it("stores with the node's uid and is foreign with another", async () => {
      const { uid } = await createNode(stores());
      expect((await write({ nodeUid: randomUUID() })).outcome).toBe('foreign');
      expect((await write({ nodeUid: uid })).outcome).toBe('stored');
      expect((await write({ nodeUid: randomUUID(), expected: T0 })).outcome).toBe('foreign');
    });

    it('accepts one of several renewals of the same version', async () => {
      await write();
      const writes = Array.from({ length: 5 }, (_, n) => write({ at: T0 + n + 1, expected: T0 }));
      const outcomes = (await Promise.all(writes)).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1);
    });
  });

  describe('writeLease with a namespace', () => {
    const key = { namespace: 'team', name: 'leader' };
    const namespaceKey = { resource: 'namespaces', namespace: '', name: 'team' };
    const create = (revision: number) =>
      heartbeats().writeLease({ key, lease, at: T0, namespace: { key: namespaceKey, revision } });

    it('creates a Lease if the namespace is as it was read, and only once (C-22)', async () => {
      const { revision } = await change(stores().objects, { key: namespaceKey });
      const item = { ...key, lease, version: T0, observedAt: T0, leaseAt: T0 };
      expect(await create(revision)).toEqual({ outcome: 'stored', item });
      expect(await heartbeats().read(key)).toEqual(item);
      const other = { ...lease, uid: randomUUID() };
      const namespace = { key: namespaceKey, revision };
      const again = await heartbeats().writeLease({ key, lease: other, at: T0 + 1, namespace });
      expect(again).toMatchObject({ outcome: 'conflict', item: { lease } });
    });

    it('creates a Lease where one was deleted (C-22)', async () => {
      const { revision } = await change(stores().objects, { key: namespaceKey });
      await create(revision);
      await heartbeats().deleteLease(key, T0 + 5);
      expect(await create(revision)).toMatchObject({ outcome: 'stored', item: { version: T0 + 6 } });
    });

    it('creates none if the namespace has changed, or is not there (C-22)', async () => {
      const { revision, commit } = await change(stores().objects, { key: namespaceKey });
      await change(stores().objects, { key: namespaceKey, uid: commit.uid, expected: revision });
      expect((await create(revision)).outcome).toBe('namespaceChanged');
      expect((await create(revision + 1_000)).outcome).toBe('namespaceChanged');
      expect(await heartbeats().read(key)).toBeUndefined();
    });
  });

  describe('leasesIn', () => {
    it('reads the Leases of a namespace, and no others', async () => {
      await createNode(stores());
      for (const namespace of ['team', 'other'])
        for (const name of ['a', 'b'])
          await heartbeats().writeLease({ key: { namespace, name }, lease, at: T0 });
      await heartbeats().deleteLease({ namespace: 'team', name: 'b' }, T0 + 1);
      const found = await heartbeats().leasesIn('team');
      expect(found.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(['team/a']);
    });
  });

  describe('deleteLease', () => {
    it('removes the Lease, increases the version and keeps the beats', async () => {
      const { uid } = await createNode(stores());
      await write();
      const { outcome, item } = await heartbeats().deleteLease(KEY, T0 + 5);
      expect(outcome).toBe('stored');
      expect(item?.lease).toEqual(lease);
      expect(await heartbeats().read(KEY)).toEqual({
        ...KEY,
        uid,
        version: T0 + 5,
        observedAt: T0,
        leaseAt: T0,
        expiresAt: EXPIRES_AT,
      });
    });

    it('increases the version by at least one, and a new Lease continues from it', async () => {
      await write({ at: T0 + 100 });
      await heartbeats().deleteLease(KEY, T0);
      expect((await heartbeats().read(KEY))?.version).toBe(T0 + 101);
      expect((await write({ at: T0 + 50 })).item?.version).toBe(T0 + 102);
    });

    it('compares the version if one is given', async () => {
      await write();
      expect((await heartbeats().deleteLease(KEY, T0 + 5, T0 - 1)).outcome).toBe('conflict');
      expect((await heartbeats().deleteLease(KEY, T0 + 5, T0)).outcome).toBe('stored');
    });

    it('gives an expiry to an item without one, and a new Lease removes it', async () => {
      const key = { namespace: 'kube-system', name: 'leader' };
      const create = () => heartbeats().writeLease({ key, lease, at: T0 });
      await create();
      expect((await heartbeats().read(key))?.expiresAt).toBeUndefined();
      await heartbeats().deleteLease(key, T0);
      expect((await heartbeats().read(key))?.expiresAt).toBe(T0 + 24 * 3_600_000);
      await create();
      expect((await heartbeats().read(key))?.expiresAt).toBeUndefined();
    });

    it('reports that there is nothing to delete', async () => {
      expect(await heartbeats().deleteLease(KEY, T0)).toEqual({ outcome: 'absent', item: undefined });
      await createNode(stores());
      expect((await heartbeats().deleteLease(KEY, T0, T0)).outcome).toBe('absent');
    });
  });

  describe('scan', () => {
    it('shows entries, Leases and markers', async () => {
      const { uid } = await createNode(stores());
      await write({ key: { namespace: 'kube-system', name: 'leader' } });
      await write({ key: { namespace: 'kube-system', name: 'gone' } });
      await heartbeats().deleteLease({ namespace: 'kube-system', name: 'gone' }, T0 + 5);
      const scanned = async (): Promise<readonly HeartbeatItem[]> => {
        const items: HeartbeatItem[] = [];
        for await (const { value } of heartbeats().scan()) items.push(...value);
        return items.toSorted((a, b) => Number(a.name > b.name) - Number(a.name < b.name));
      };
      await expect.poll(scanned).toMatchObject([
        { name: 'gone', version: T0 + 5 },
        { name: 'leader', lease },
        { name: NODE, uid },
      ]);
    });
  });
};

export const heartbeatStoreContract = (name: string, create: () => Promise<Stores>): void => {
  describe(`HeartbeatStore: ${name}`, () => {
    let stores: Stores;
    const current = () => stores;
    beforeEach(async () => {
      stores = await create();
    });
    beatContract(current);
    leaseContract(current);
    relayStoreContract(current);
  });
};
