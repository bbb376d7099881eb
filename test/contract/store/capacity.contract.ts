// Claims and counters: what a commit does to them, and what is written without a commit.
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CapacityEffect, CapacityStore, ClaimWrite } from '../../../shared/ports/store/capacity.ts';
import { MOST_CLAIMS } from '../../../shared/ports/store/capacity.ts';
import type { ObjectStore } from '../../../shared/ports/store/object-store.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import type { CapacityClaim } from '../../../shared/rules/scheduling/cluster/capacity-claim.ts';
import type { BindCondition } from '../../../shared/rules/scheduling/node-counters.ts';
import { bindCondition, capacityDigest } from '../../../shared/rules/scheduling/node-counters.ts';
import type { HostPort } from '../../../shared/rules/scheduling/pods/host-ports.ts';
import { aNode } from '../../support/objects/domain-objects.ts';
import { aCommit, change, podKey, T0 } from '../../support/stores/builders.ts';

export interface CapacityStores {
  readonly objects: ObjectStore;
  readonly capacity: CapacityStore;
}

const NODE = 'n1';
const ROOMY = { cpu: '4', memory: '8Gi', pods: '110' };

const nodeWith = (allocatable: Readonly<Record<string, string>>) => ({
  ...aNode({ name: NODE }),
  status: { allocatable },
});

const aClaim = (claim: Partial<CapacityClaim> = {}): CapacityClaim => ({
  uid: randomUUID(),
  namespace: 'default',
  name: 'p1',
  claimedAt: T0,
  requests: new Map([['cpu', 1000]]),
  ports: [],
  ended: false,
  ...claim,
});

const put = (next: CapacityClaim): ClaimWrite => ({ uid: next.uid, read: undefined, next });
const replace = (read: CapacityClaim, next: CapacityClaim | undefined): ClaimWrite => ({
  uid: read.uid,
  read,
  next,
});

const within = (
  claim: CapacityClaim,
  allocatable: Readonly<Record<string, string>> = ROOMY,
): { readonly within: BindCondition } => {
  const condition = bindCondition(nodeWith(allocatable), claim);
  if (!condition) throw new Error('the case asks for more than its node has');
  return { within: condition };
};

const countersOf = async ({ capacity }: CapacityStores, node = NODE) => {
  const stored = await capacity.counters(node);
  return stored && Object.fromEntries([...stored.counters].filter(([, amount]) => amount !== 0));
};

/** Writes a Node's digest, as its create does. */
const describeNode = ({ objects }: CapacityStores, allocatable = ROOMY) => {
  const capacity = { node: NODE, claims: [], digest: capacityDigest(nodeWith(allocatable)) };
  return change(objects, { key: nodeKey(NODE), capacity });
};

/** Binds a pod, as a commit that gives it its node. */
const bind = (
  { objects }: CapacityStores,
  claim: CapacityClaim,
  more: Partial<CapacityEffect> = {},
  name: string = randomUUID(),
) =>
  change(objects, {
    key: podKey(name),
    uid: claim.uid,
    capacity: { node: NODE, claims: [put(claim)], ...more },
  });

const commitsContract = (stores: () => CapacityStores): void => {
  describe('a commit', () => {
    it('makes a claim and counts it (O-02, O-03)', async () => {
      const port: HostPort = { ip: '10.0.0.1', protocol: 'UDP', port: 53 };
      const claim = aClaim({
        ports: [port],
        requests: new Map([
          ['cpu', 250],
          ['example.com/gpu', 2],
        ]),
      });
      expect((await bind(stores(), claim)).outcome).toEqual({ outcome: 'committed' });
      expect(await stores().capacity.allClaims(NODE)).toEqual([claim]);
      expect(await stores().capacity.counters(NODE)).toEqual({
        counters: new Map([
          ['pods', 1],
          ['r/cpu', 250],
          ['r/example.com/gpu', 2],
          ['p/UDP/53', 1],
          ['p/UDP/53/10.0.0.1', 1],
        ]),
        writes: 1,
      });
    });

    it('adds to what is counted, for each node apart', async () => {
      await bind(stores(), aClaim());
      await bind(
        stores(),
        aClaim({
          requests: new Map([
            ['cpu', 1],
            ['memory', 2],
          ]),
        }),
      );
      await bind(stores(), aClaim(), { node: 'n2' });
      expect(await countersOf(stores())).toEqual({ pods: 2, 'r/cpu': 1001, 'r/memory': 2 });
      expect(await countersOf(stores(), 'n2')).toEqual({ pods: 1, 'r/cpu': 1000 });
    });

    it('is not written where a claim of the pod is there already', async () => {
      const claim = aClaim();
      await bind(stores(), claim);
      const again = await bind(stores(), claim, {}, 'p2');
      expect(again.outcome).toEqual({ outcome: 'checkFailed' });
      expect(await stores().objects.read(podKey('p2'))).toBeUndefined();
      expect(await countersOf(stores())).toEqual({ pods: 1, 'r/cpu': 1000 });
    });

    it('counts nothing when the object conflicts, and counts once when it is sent again', async () => {
      const { commit, revision } = await bind(stores(), aClaim(), {}, 'p1');
      expect(await stores().objects.commit(commit)).toEqual({ outcome: 'committed' });
      const other = await bind(stores(), aClaim(), {}, 'p1');
      expect(other.outcome).toEqual({ outcome: 'objectConflict' });
      expect(other.revision).toBeGreaterThan(revision);
      expect(await countersOf(stores())).toEqual({ pods: 1, 'r/cpu': 1000 });
      expect(await stores().capacity.allClaims(NODE)).toHaveLength(1);
    });

    it('is on one page of the claims of its node, which are sorted by uid', async () => {
      const claims = [aClaim(), aClaim(), aClaim()].toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
      for (const claim of claims.toReversed()) await bind(stores(), claim);
      await bind(stores(), aClaim(), { node: 'n2' });
      const { capacity } = stores();
      const [first, second] = claims;
      expect(await capacity.claimsAfter(NODE, '', 2)).toEqual([first, second]);
      expect(await capacity.claimsAfter(NODE, second?.uid ?? '', 2)).toEqual([claims[2]]);
      expect(await capacity.claimsAfter(NODE, claims[2]?.uid ?? '', 2)).toEqual([]);
    });

    it('counts nothing when its slot is taken', async () => {
      const claim = aClaim();
      const { highest: revision } = await stores().objects.takeRevisions('pods', 1, T0);
      const tombstone = { slot: 'tombstone', revision, attempt: randomUUID(), at: T0 } as const;
      await stores().objects.putTombstone('pods', tombstone);
      const capacity = { node: NODE, claims: [put(claim)] };
      const commit = aCommit({ key: podKey('p1'), revision, uid: claim.uid, capacity });
      expect((await stores().objects.commit(commit)).outcome).toBe('slotTaken');
      expect(await stores().capacity.counters(NODE)).toBeUndefined();
    });

    it('resizes a claim that is as it was read, by the difference (O-04)', async () => {
      const claim = aClaim();
      const { revision } = await bind(stores(), claim, {}, 'p1');
      const next = { ...claim, requests: new Map([['memory', 5]]) };
      const resize = (read: CapacityClaim, expected: number) =>
        change(stores().objects, {
          key: podKey('p1'),
          uid: claim.uid,
          expected,
          capacity: { node: NODE, claims: [replace(read, next)] },
        });
      const stale = await resize({ ...claim, requests: new Map([['cpu', 999]]) }, revision);
      expect(stale.outcome).toEqual({ outcome: 'checkFailed' });
      expect((await resize(claim, revision)).outcome).toEqual({ outcome: 'committed' });
      expect(await countersOf(stores())).toEqual({ pods: 1, 'r/memory': 5 });
      expect(await stores().capacity.allClaims(NODE)).toEqual([next]);
    });
  });

  describe('the digest of a node', () => {
    it('is stored and removed with the Node, and the counters stay', async () => {
      await bind(stores(), aClaim());
      const { revision } = await describeNode(stores());
      const digest = capacityDigest(nodeWith(ROOMY));
      expect(await stores().capacity.counters(NODE)).toMatchObject({ digest, writes: 2 });
      await change(stores().objects, {
        key: nodeKey(NODE),
        expected: revision,
        type: 'DELETED',
        capacity: { node: NODE, claims: [], digest: null },
      });
      const left = await stores().capacity.counters(NODE);
      expect(left).not.toHaveProperty('digest');
      expect(left?.writes).toBe(3);
      expect(await countersOf(stores())).toEqual({ pods: 1, 'r/cpu': 1000 });
    });
  });
};

const limitsContract = (stores: () => CapacityStores): void => {
  const bindWithin = async (claim: CapacityClaim, allocatable = ROOMY) =>
    (await bind(stores(), claim, within(claim, allocatable))).outcome.outcome;

  describe('a commit with limits', () => {
    it('is written on an empty node, and until the node is full (O-06)', async () => {
      await describeNode(stores());
      for (const expected of ['committed', 'committed', 'committed', 'committed', 'checkFailed'])
        expect(await bindWithin(aClaim())).toBe(expected);
      expect(await bindWithin(aClaim({ requests: new Map([['memory', 1024]]) }))).toBe('committed');
      expect(await countersOf(stores())).toEqual({ pods: 5, 'r/cpu': 4000, 'r/memory': 1024 });
    });

    it('is not written beyond the number of pods (O-06)', async () => {
      const allocatable = { ...ROOMY, pods: '2' };
      await describeNode(stores(), allocatable);
      const claim = () => aClaim({ requests: new Map() });
      for (const expected of ['committed', 'committed', 'checkFailed'])
        expect(await bindWithin(claim(), allocatable)).toBe(expected);
    });

    it('counts binds without limits, also those above what the node has (O-06)', async () => {
      await describeNode(stores());
      await bind(stores(), aClaim({ requests: new Map([['cpu', 9000]]) }));
      expect(await countersOf(stores())).toEqual({ pods: 1, 'r/cpu': 9000 });
      expect(await bindWithin(aClaim())).toBe('checkFailed');
    });

    it.each([
      ['another Node of the name', { ...nodeWith(ROOMY), metadata: { name: NODE, uid: 'other' } }],
      ['less room than before', nodeWith({ ...ROOMY, cpu: '3' })],
    ])('is not written with the digest of %s (O-05)', async (_, other) => {
      await describeNode(stores());
      const claim = aClaim();
      const condition = { ...within(claim).within, digest: capacityDigest(other) };
      const { outcome } = await bind(stores(), claim, { within: condition }, 'p1');
      expect(outcome).toEqual({ outcome: 'checkFailed' });
      expect(await stores().objects.read(podKey('p1'))).toBeUndefined();
      expect(await stores().capacity.allClaims(NODE)).toEqual([]);
    });

    it('is not written for a node that has no digest (O-05)', async () => {
      expect(await bindWithin(aClaim())).toBe('checkFailed');
      await bind(stores(), aClaim());
      expect(await bindWithin(aClaim())).toBe('checkFailed');
    });

    const all: HostPort = { ip: '0.0.0.0', protocol: 'TCP', port: 80 };
    const one: HostPort = { ...all, ip: '10.0.0.1' };
    it.each([
      ['all addresses twice', all, all, false],
      ['all addresses after one', all, one, false],
      ['one address after all', one, all, false],
      ['one address twice', one, one, false],
      ['one address after another', one, { ...one, ip: 'fd00::1' }, true],
      ['another protocol', all, { ...all, protocol: 'UDP' }, true],
      ['another number', one, { ...one, port: 81 }, true],
    ])(
      'takes host ports on %s: only if they are free, and again when they are (O-07)',
      async (_, wanted, taken, fits) => {
        await describeNode(stores());
        const first = aClaim({ ports: [taken] });
        await bind(stores(), first);
        const claim = aClaim({ ports: [wanted] });
        expect(await bindWithin(claim)).toBe(fits ? 'committed' : 'checkFailed');
        if (fits) return;
        const ended = { ...first, ended: true };
        await stores().capacity.write({ node: NODE, claims: [replace(first, ended)], checks: [] });
        expect(await bindWithin(claim)).toBe('committed');
      },
    );

    it('is written for no more of twenty pods at a time than the node has room for (O-06)', async () => {
      await describeNode(stores());
      const untilDone = async (claim: CapacityClaim): Promise<string> => {
        const { outcome } = (await bind(stores(), claim, within(claim))).outcome;
        return outcome === 'busy' ? untilDone(claim) : outcome;
      };
      const claims = Array.from({ length: 20 }, () => aClaim({ requests: new Map([['cpu', 600]]) }));
      const outcomes = await Promise.all(claims.map(untilDone));
      expect(outcomes.filter((outcome) => outcome === 'committed')).toHaveLength(6);
      expect(outcomes.filter((outcome) => outcome === 'checkFailed')).toHaveLength(14);
      expect(await countersOf(stores())).toEqual({ pods: 6, 'r/cpu': 3600 });
    });

    it('may have as many limits as a bind can have, and as many counters as a claim can (O-10)', async () => {
      const names = Array.from({ length: 64 }, (_, n) => `example.com/resource-${n}`);
      const ports = names.map((_, n): HostPort => ({ ip: '10.0.0.1', protocol: 'TCP', port: 1000 + n }));
      const requests = new Map(names.map((name) => [name, 1]));
      const large = aClaim({ requests, ports });
      expect((await bind(stores(), large)).outcome).toEqual({ outcome: 'committed' });
      const allocatable = { ...ROOMY, ...Object.fromEntries(names.map((name) => [name, '2'])) };
      await describeNode(stores(), allocatable);
      expect(await bindWithin(aClaim({ requests: new Map([...requests].slice(1)) }), allocatable)).toBe(
        'committed',
      );
    });
  });
};

const writesContract = (stores: () => CapacityStores): void => {
  const remove = (claim: CapacityClaim, key = podKey('p1')) =>
    stores().capacity.write({
      node: NODE,
      claims: [replace(claim, undefined)],
      checks: [{ key, goneUid: claim.uid }],
    });

  describe('a write without a commit', () => {
    it('ends and deletes claims, and subtracts what they counted once (O-04, O-09)', async () => {
      const [first, second] = [aClaim(), aClaim({ requests: new Map([['cpu', 7]]) })];
      for (const claim of [first, second]) await bind(stores(), claim);
      const ended = { ...first, ended: true };
      const { write } = stores().capacity;
      const end = { node: NODE, claims: [replace(first, ended), replace(second, undefined)], checks: [] };
      expect(await write(end)).toBe('written');
      expect(await write(end)).toBe('refused');
      expect(await stores().capacity.allClaims(NODE)).toEqual([ended]);
      expect(await countersOf(stores())).toEqual({});
      expect(await write({ node: NODE, claims: [replace(ended, undefined)], checks: [] })).toBe('written');
      expect(await countersOf(stores())).toEqual({});
      expect((await stores().capacity.counters(NODE))?.writes).toBe(3);
    });

    it('writes nothing if one of its claims is not as it was read', async () => {
      const [first, second] = [aClaim(), aClaim()];
      for (const claim of [first, second]) await bind(stores(), claim);
      const stale = { ...second, requests: new Map([['cpu', 1]]) };
      const claims = [replace(first, undefined), replace(stale, undefined)];
      expect(await stores().capacity.write({ node: NODE, claims, checks: [] })).toBe('refused');
      expect(await stores().capacity.allClaims(NODE)).toHaveLength(2);
    });

    it('deletes the claim of a pod that never was, of a marker, and of a pod that was made again (O-09)', async () => {
      const [never, deleted, again] = [aClaim(), aClaim(), aClaim()];
      for (const claim of [never, deleted, again]) await bind(stores(), claim);
      const { revision } = await change(stores().objects, { key: podKey('p2'), uid: deleted.uid });
      await change(stores().objects, {
        key: podKey('p2'),
        uid: deleted.uid,
        expected: revision,
        type: 'DELETED',
      });
      await change(stores().objects, { key: podKey('p3') });
      expect(await remove(never)).toBe('written');
      expect(await remove(deleted, podKey('p2'))).toBe('written');
      expect(await remove(again, podKey('p3'))).toBe('written');
      expect(await countersOf(stores())).toEqual({});
    });

    it('does not delete the claim of a pod that is there (O-09)', async () => {
      const claim = aClaim();
      await bind(stores(), claim, {}, 'p1');
      expect(await remove(claim)).toBe('refused');
      expect(await countersOf(stores())).toEqual({ pods: 1, 'r/cpu': 1000 });
    });

    it('may require the revision of a live object', async () => {
      const claim = aClaim();
      const { revision } = await change(stores().objects, { key: podKey('p1'), uid: claim.uid });
      const make = (checked: number, name = 'p1') =>
        stores().capacity.write({
          node: NODE,
          claims: [put(claim)],
          checks: [{ key: podKey(name), revision: checked }],
        });
      expect(await make(revision - 1)).toBe('refused');
      expect(await make(revision, 'p2')).toBe('refused');
      expect(await make(revision)).toBe('written');
      const marker = await change(stores().objects, {
        key: podKey('p1'),
        expected: revision,
        type: 'DELETED',
      });
      const second = { ...put(aClaim()) };
      const checks = [{ key: podKey('p1'), revision: marker.revision }];
      expect(await stores().capacity.write({ node: NODE, claims: [second], checks })).toBe('refused');
    });

    it('may have as many claims and checks as the port says', async () => {
      const claims = Array.from({ length: MOST_CLAIMS }, () => aClaim());
      const { write } = stores().capacity;
      expect(await write({ node: NODE, claims: claims.map(put), checks: [] })).toBe('written');
      const checks = claims.map(({ uid }, n) => ({ key: podKey(`p${n}`), goneUid: uid }));
      const gone = claims.map((claim) => replace(claim, undefined));
      expect(await write({ node: NODE, claims: gone, checks })).toBe('written');
      expect(await countersOf(stores())).toEqual({});
    });
  });
};

const readsContract = (stores: () => CapacityStores): void => {
  describe('reads', () => {
    it('find nothing where nothing was written', async () => {
      expect(await stores().capacity.allClaims(NODE)).toEqual([]);
      expect(await stores().capacity.claimsOf(NODE, [])).toEqual([]);
      expect(await stores().capacity.claimsOf(NODE, [randomUUID()])).toEqual([]);
      expect(await stores().capacity.counters(NODE)).toBeUndefined();
    });

    it('find claims by uid on their own node, also more than one request may name', async () => {
      const claims = Array.from({ length: 3 }, () => aClaim());
      for (const claim of claims) await bind(stores(), claim);
      const others = Array.from({ length: 120 }, () => randomUUID());
      const uids = claims.map(({ uid }) => uid);
      const found = await stores().capacity.claimsOf(NODE, [...others, ...uids.slice(1)]);
      expect(found).toHaveLength(2);
      expect(found).toEqual(expect.arrayContaining(claims.slice(1)));
      expect(await stores().capacity.claimsOf('n2', uids)).toEqual([]);
    });
  });
};

export const capacityContract = (name: string, create: () => Promise<CapacityStores>): void => {
  describe(`CapacityStore: ${name}`, () => {
    let stores: CapacityStores;
    const current = () => stores;
    beforeEach(async () => {
      stores = await create();
    });
    commitsContract(current);
    limitsContract(current);
    writesContract(current);
    readsContract(current);
  });
};
