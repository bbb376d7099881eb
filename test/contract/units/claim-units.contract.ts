/**
 * What a bind costs on DynamoDB beyond the pod itself. DynamoDB Local counts one item per table of a transaction, so claims and
 * counters, which lie in one table, are measured in transactions of their own.
 */
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { sweepPart } from '../../../lambdas/capacity-release/sweep-part.ts';
import { capacityItems } from '../../../shared/adapters/dynamodb/items/capacity-items.ts';
import { systemIds as ids } from '../../../shared/adapters/system/id-source.ts';
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import type { ClaimWrite } from '../../../shared/ports/store/capacity.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import type { CapacityClaim } from '../../../shared/rules/scheduling/cluster/capacity-claim.ts';
import { bindWithin } from '../../../shared/store/claims/bind-within.ts';
import { createCapacityEffects } from '../../../shared/store/writer/capacity-effects.ts';
import { createObjectWriter, type ObjectWriter } from '../../../shared/store/writer/object-writer.ts';
import { aBoundPod } from '../../bench/fleet/bound-pod.ts';
import { nodeName } from '../../bench/fleet/fleet.ts';
import { podKey } from '../../support/stores/builders.ts';
import type { DynamoStores } from '../../support/stores/dynamodb-stores.ts';
import { type CreateStores, STANDING_CLOCK as clock, type Meter, spentUnits } from './spent-units.ts';

/** Pods of the node before the measured ones: its counters have all their attributes. */
const PODS_BEFORE = 3;

const aRoomyNode = (name: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, uid: ids.uuid() },
  status: { allocatable: { cpu: '63', memory: '250Gi', 'ephemeral-storage': '100Gi', pods: '110' } },
});

const NODE = aRoomyNode(nodeName(1));

const aPendingPod = (name: string): Pod => {
  const { spec, ...pod } = aBoundPod(name);
  const { nodeName: _bound, ...pending } = spec;
  return { ...pod, spec: pending, status: { phase: 'Pending' } };
};

const writerOf = (stores: DynamoStores): ObjectWriter =>
  createObjectWriter({ ...stores, clock, ids, capacityEffects: createCapacityEffects(stores.capacity) });

const putNode = (stores: DynamoStores, node: Node): Promise<unknown> =>
  writerOf(stores).write(nodeKey(node.metadata.name), () => ({ next: node, writer: 'client' }));

/** Binds a pod of 5 KB with its claim. */
const bind = async (stores: DynamoStores, name: string, node: Node): Promise<void> => {
  const pod = aPendingPod(name);
  const writer = writerOf(stores);
  await writer.write(podKey(name), () => ({ next: pod, writer: 'client' }));
  const outcome = await bindWithin(writer, { pod: podKey(name), uid: pod.metadata.uid ?? '', node });
  if (outcome !== 'bound') throw new Error(`the bind was ${outcome}`);
};

const bindMany = async (stores: DynamoStores, prefix: string, pods: number, node: Node): Promise<void> => {
  for (let n = 0; n < pods; n += 1) await bind(stores, `${prefix}-${n}`, node);
};

/** What each item of an effect costs in a transaction of its own (WRU): the claim first, then the counters. */
const unitsOfItems = async (
  stores: DynamoStores,
  meter: Meter,
  claim: ClaimWrite,
): Promise<readonly number[]> => {
  const { client, tables } = stores.deps;
  const units: number[] = [];
  for (const item of capacityItems(tables.control, { node: NODE.metadata.name, claims: [claim] })) {
    const write = () => client.send(new TransactWriteCommand({ TransactItems: [item] }));
    units.push((await spentUnits(meter, write)).writeUnits);
  }
  return units;
};

export const claimUnits = (create: CreateStores, meter: Meter): void => {
  describe('of claims', () => {
    let stores: DynamoStores;
    let claim: CapacityClaim;
    beforeAll(async () => {
      stores = await create();
      await putNode(stores, NODE);
      await bindMany(stores, 'before', PODS_BEFORE, NODE);
      const [first] = await stores.capacity.allClaims(NODE.metadata.name);
      if (!first) throw new Error('there is no claim');
      claim = { ...first, uid: ids.uuid() };
    });

    it('a pod of 5 KB gets its node for 13 WRU without a claim', async () => {
      const writer = createObjectWriter({ ...stores, clock, ids });
      const pod = aPendingPod('plain');
      await writer.write(podKey('plain'), () => ({ next: pod, writer: 'client' }));
      const bound = { ...pod, spec: { ...pod.spec, nodeName: NODE.metadata.name } };
      const write = () => writer.write(podKey('plain'), () => ({ next: bound, writer: 'client' }));
      expect((await spentUnits(meter, write)).writeUnits).toBe(13);
    });

    it('a claim and its counters are put for 2 WRU each', async () => {
      const write = { uid: claim.uid, read: undefined, next: claim };
      expect(await unitsOfItems(stores, meter, write)).toEqual([2, 2]);
    });

    it('a claim ends for 2 WRU, with its counters', async () => {
      const write = { uid: claim.uid, read: claim, next: { ...claim, ended: true } };
      expect(await unitsOfItems(stores, meter, write)).toEqual([2, 2]);
    });

    it('a claim that has ended goes for 2 WRU, without a write of the counters', async () => {
      const write = { uid: claim.uid, read: { ...claim, ended: true }, next: undefined };
      expect(await unitsOfItems(stores, meter, write)).toEqual([2]);
    });

    it.each([
      [10, 11.5],
      [50, 35],
    ])(
      'a sweep of a healthy node with %i pods of 5 KB reads %d RRU and writes nothing',
      async (pods, reads) => {
        const node = aRoomyNode(`swept-${pods}`);
        await putNode(stores, node);
        await bindMany(stores, `swept-${pods}`, pods, node);
        const sweep = async (): Promise<void> => {
          const { repaired, failed } = await sweepPart({ ...stores, clock, ids }, [node.metadata.name]);
          expect([repaired, failed]).toEqual([[], []]);
        };
        expect(await spentUnits(meter, sweep)).toEqual({ readUnits: reads, writeUnits: 0 });
      },
    );
  });
};
