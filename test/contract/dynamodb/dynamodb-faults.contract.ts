// What conflicts, throttles and lost answers mean; an emulator shows none of them by itself.
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { NODE_LEASE_NAMESPACE } from '../../../shared/kube/types/well-known.ts';
import type { BegunTurn } from '../../../shared/ports/store/owner-turns.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { aCommit, aLease, aTombstone, EXPIRES_AT, T0 } from '../../support/stores/builders.ts';
import {
  cancelled,
  connectionError,
  type Fault,
  injectFaults,
  namedError,
} from '../../support/stores/dynamodb-faults.ts';
import type { DynamoStores } from '../../support/stores/dynamodb-stores.ts';
import { createNode } from '../store/commit-effects.contract.ts';

const refused = (error: Error): Fault => ({ kind: 'refused', error });
const lost = (error: Error): Fault => ({ kind: 'lost', error });

const BUSY: readonly (readonly [string, Error])[] = [
  ['a conflicting transaction on the object', cancelled('TransactionConflict', 'None')],
  ['a conflicting transaction on the slot', cancelled('None', 'TransactionConflict')],
  ['a slot in flight beside a failed object', cancelled('ConditionalCheckFailed', 'TransactionConflict')],
  ['a throttled part', cancelled('ThrottlingError', 'None')],
  ['a part over its throughput', cancelled('None', 'ProvisionedThroughputExceeded')],
  ['a throttled request', namedError('ThrottlingException')],
  ['a request over its throughput', namedError('ProvisionedThroughputExceededException')],
  ['the same token in flight', namedError('TransactionInProgressException')],
];

const UNCLEAR: readonly (readonly [string, Error])[] = [
  ['a time-out', namedError('TimeoutError', 0)],
  ['a lost connection', connectionError('ECONNRESET')],
  ['a fault of the service', namedError('InternalServerError', 500)],
];

type Faults = ReturnType<typeof injectFaults>;

const commitFaults = (stores: () => DynamoStores, faults: () => Faults): void => {
  const commit = () => aCommit({ key: nodeKey('n1'), revision: T0 + 1 });

  describe('a commit', () => {
    it.each(BUSY)('is busy after %s', async (_, error) => {
      faults().plan(refused(error));
      expect(await stores().objects.commit(commit())).toEqual({ outcome: 'busy' });
    });

    it.each(UNCLEAR)('is unclear after %s', async (_, error) => {
      faults().plan(refused(error));
      expect(await stores().objects.commit(commit())).toEqual({ outcome: 'unclear' });
    });

    it('whose answer was lost is found by its slot', async () => {
      const given = commit();
      faults().plan(lost(namedError('TimeoutError', 0)));
      expect(await stores().objects.commit(given)).toEqual({ outcome: 'unclear' });
      expect(await stores().objects.putTombstone('nodes', aTombstone(T0 + 1))).toEqual(given.entry);
      expect(await stores().objects.commit(given)).toEqual({ outcome: 'committed' });
    });

    it('that never arrived is stopped by its tombstone', async () => {
      const given = commit();
      faults().plan(refused(namedError('TimeoutError', 0)));
      expect(await stores().objects.commit(given)).toEqual({ outcome: 'unclear' });
      expect(await stores().objects.putTombstone('nodes', aTombstone(T0 + 1))).toBeUndefined();
      expect(await stores().objects.commit(given)).toMatchObject({ outcome: 'slotTaken' });
    });

    it('of two entries is busy while either slot is busy', async () => {
      const given = aCommit({ key: nodeKey('n1'), revision: T0 + 2, type: 'DELETED', isSeenBefore: true });
      faults().plan(refused(cancelled('ConditionalCheckFailed', 'None', 'TransactionConflict')));
      expect(await stores().objects.commit(given)).toEqual({ outcome: 'busy' });
    });

    it('is unclear if the slot cannot be read', async () => {
      await stores().objects.commit(commit());
      const failed = cancelled('ConditionalCheckFailed', 'None');
      faults().plan(refused(failed), refused(connectionError('ECONNRESET')));
      expect(await stores().objects.commit(commit())).toEqual({ outcome: 'unclear' });
    });

    it('rethrows unknown errors', async () => {
      faults().plan(refused(namedError('ResourceNotFoundException')));
      await expect(stores().objects.commit(commit())).rejects.toThrow('ResourceNotFoundException');
    });
  });
};

const patience = (stores: () => DynamoStores, faults: () => Faults): void => {
  const conflict = refused(namedError('TransactionConflictException'));
  const throttle = refused(namedError('ThrottlingException'));
  const plain = { node: 'n1', source: 'plain', at: T0, expiresAt: EXPIRES_AT } as const;

  it('repeats a beat after a transaction conflict', async () => {
    await createNode(stores());
    faults().plan(conflict, conflict);
    expect((await stores().heartbeats.beat(plain)).outcome).toBe('accepted');
    expect(faults().calls()).toBe(3);
  });

  it('repeats the creation of an entry after a transaction conflict', async () => {
    const { uid } = await createNode(stores());
    faults().plan(refused(cancelled('TransactionConflict', 'None')));
    expect((await stores().heartbeats.remake({ ...plain, uid })).outcome).toBe('accepted');
  });

  it('distinguishes a renewal whose answer was lost from a conflict', async () => {
    const { uid } = await createNode(stores());
    const key = { namespace: NODE_LEASE_NAMESPACE, name: 'n1' };
    const write = { key, lease: aLease('n1', uid), expiresAt: EXPIRES_AT };
    await stores().heartbeats.writeLease({ ...write, at: T0 });
    const renewal = { ...write, at: T0 + 10, expected: T0 };
    await stores().heartbeats.writeLease(renewal);
    expect((await stores().heartbeats.writeLease(renewal)).outcome).toBe('stored');
  });

  it('requests unprocessed keys of a batch again', async () => {
    for (const revision of [T0, T0 + 1, T0 + 2])
      await stores().objects.putTombstone('nodes', aTombstone(revision));
    faults().plan({ kind: 'partial' }, { kind: 'partial' });
    expect([...(await stores().objects.slots('nodes', T0, T0 + 2)).slots.keys()]).toEqual([
      T0,
      T0 + 1,
      T0 + 2,
    ]);
    expect(faults().calls()).toBe(3);
  });

  it('gives up a throttled request with 429', async () => {
    const six = Array.from({ length: 6 }, () => throttle);
    faults().plan(...six);
    await expect(stores().objects.page({ resource: 'secrets', namespace: '' })).rejects.toMatchObject({
      code: 429,
    });
    faults().plan(...six);
    await expect(stores().heartbeats.beat({ ...plain, uid: randomUUID() })).rejects.toMatchObject({
      code: 429,
    });
  });
};

/** The SDK sends a request again whose answer was lost: a condition that its first sending has met is then not met. */
const repetitions = (stores: () => DynamoStores, faults: () => Faults): void => {
  const LEASE_MS = 20_000;
  const begin = () => stores().ownerTurns.begin('owner', 'run', T0, LEASE_MS);
  const beginTurn = async (): Promise<BegunTurn> => {
    const start = await begin();
    if (start.outcome !== 'begun') throw new Error('the turn is held');
    return start.turn;
  };

  describe('a request that was sent twice', () => {
    it.each(['first', 'second'])('begins the %s turn of an owner, and takes nothing over', async (which) => {
      if (which === 'second') await stores().ownerTurns.end(await beginTurn());
      // The first request reads the turn.
      faults().plan({ kind: 'none' }, { kind: 'repeated' });
      expect(await begin()).toMatchObject({ outcome: 'begun', isTakenOver: false });
    });

    it('ends a turn', async () => {
      const turn = await beginTurn();
      faults().plan({ kind: 'repeated' });
      expect(await stores().ownerTurns.end(turn)).toBe('ended');
    });

    it('does not end a turn that another run has begun since', async () => {
      const turn = await beginTurn();
      await stores().ownerTurns.end(turn);
      await stores().ownerTurns.begin('owner', 'another run', T0 + 1, LEASE_MS);
      expect(await stores().ownerTurns.end(turn)).toBe('lost');
    });
  });
};

/** Runs over real tables; every faulty request comes from here. */
export const dynamoDbFaultsContract = (create: () => Promise<DynamoStores>): void => {
  describe('DynamoDB adapter under faults', () => {
    let stores: DynamoStores;
    let faults: Faults | undefined;
    beforeEach(async () => {
      stores = await create();
      // All stores share one client: its faults are injected once.
      faults ??= injectFaults(stores.deps.client);
      faults.plan();
    });
    const currentFaults = (): Faults => {
      if (!faults) throw new Error('no store was made');
      return faults;
    };
    commitFaults(() => stores, currentFaults);
    patience(() => stores, currentFaults);
    repetitions(() => stores, currentFaults);
  });
};
