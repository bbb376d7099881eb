import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { sweepPart } from '../../lambdas/capacity-release/sweep-part.ts';
import { capacityItems } from '../../shared/adapters/dynamodb/capacity-items.ts';
import type { TransactItem } from '../../shared/adapters/dynamodb/client.ts';
import { systemClock } from '../../shared/adapters/system/clock.ts';
import { systemIds } from '../../shared/adapters/system/id-source.ts';
import type { Node, Pod } from '../../shared/api/core.ts';
import type { CapacityClaim } from '../../shared/domain/scheduling/capacity-claim.ts';
import type { CapacityEffect, ClaimWrite } from '../../shared/ports/capacity.ts';
import { nodeKey } from '../../shared/ports/rows.ts';
import { bindWithin } from '../../shared/state/bind-within.ts';
import { createCapacityEffects } from '../../shared/state/capacity-effects.ts';
import { createObjectWriter } from '../../shared/state/object-writer.ts';
import { aBoundPod } from './bound-pod.ts';
import type { DynamoBench } from './dynamodb.ts';
import { onDynamoDb } from './dynamodb.ts';
import type { Bench, Figure } from './figures.ts';
import { nodeName } from './fleet.ts';

const deps = { clock: systemClock, ids: systemIds };
/** Pods of the node before the measured ones: its counters have all their attributes. */
const PODS_BEFORE = 3;

const aRoomyNode = (name: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, uid: systemIds.uuid() },
  status: { allocatable: { cpu: '63', memory: '250Gi', 'ephemeral-storage': '100Gi', pods: '110' } },
});

const aPendingPod = (name: string): Pod => {
  const { spec, ...pod } = aBoundPod(name);
  const { nodeName: _bound, ...pending } = spec;
  return { ...pod, spec: pending, status: { phase: 'Pending' } };
};

const writersOf = ({ stores }: DynamoBench) => ({
  plain: createObjectWriter({ ...stores, ...deps }),
  keeping: createObjectWriter({
    ...stores,
    ...deps,
    capacityEffects: createCapacityEffects(stores.capacity),
  }),
});

const podKey = (name: string) => ({ resource: 'pods', namespace: 'default', name });

/** Binds a pod of 5 KB, and returns the write units that DynamoDB Local counts. */
const bind = async (bench: DynamoBench, name: string, node: Node): Promise<number> => {
  const { keeping } = writersOf(bench);
  const pod = aPendingPod(name);
  await keeping.write(podKey(name), () => ({ next: pod, writer: 'client' }));
  bench.meter.take();
  const outcome = await bindWithin(keeping, { pod: podKey(name), uid: pod.metadata.uid ?? '', node });
  if (outcome !== 'bound') throw new Error(`the bind was ${outcome}`);
  return bench.meter.take().writeUnits;
};

/** The same bind without claims, as `pods/binding` writes it today. */
const bindPlainly = async (bench: DynamoBench, name: string, node: Node): Promise<number> => {
  const { plain } = writersOf(bench);
  const pod = aPendingPod(name);
  await plain.write(podKey(name), () => ({ next: pod, writer: 'client' }));
  bench.meter.take();
  const bound = { ...pod, spec: { ...pod.spec, nodeName: node.metadata.name } };
  await plain.write(podKey(name), () => ({ next: bound, writer: 'client' }));
  return bench.meter.take().writeUnits;
};

/** What each item of an effect costs in a transaction of its own: claims first, then the counters. */
const unitsOf = async (
  { stores, meter }: DynamoBench,
  effect: CapacityEffect,
): Promise<readonly number[]> => {
  const { client, tables } = stores.deps;
  const units: number[] = [];
  const items: readonly TransactItem[] = capacityItems(tables.control, effect);
  for (const item of items) {
    meter.take();
    await client.send(new TransactWriteCommand({ TransactItems: [item] }));
    units.push(meter.take().writeUnits);
  }
  return units;
};

const claimsOfNode = async ({ stores }: DynamoBench, node: string): Promise<readonly CapacityClaim[]> =>
  stores.capacity.allClaims(node);

const replaced = (read: CapacityClaim | undefined, next: CapacityClaim | undefined): ClaimWrite => ({
  uid: (read ?? next)?.uid ?? '',
  read,
  next,
});

/** What a sweep reads of a healthy node with `pods` more pods than it had. */
const sweepUnits = async (bench: DynamoBench, node: Node, pods: number): Promise<number> => {
  for (let n = 0; n < pods; n += 1) await bind(bench, `swept-${pods}-${n}`, node);
  bench.meter.take();
  const { repaired, failed } = await sweepPart({ ...bench.stores, ...deps }, [node.metadata.name]);
  if (repaired.length + failed.length > 0) throw new Error('the node is not healthy');
  return bench.meter.take().readUnits;
};

const sweepFigures = async (bench: DynamoBench): Promise<readonly Figure[]> => {
  const node = aRoomyNode(nodeName(2));
  await writersOf(bench).keeping.write(nodeKey(nodeName(2)), () => ({ next: node, writer: 'client' }));
  const few = await sweepUnits(bench, node, 10);
  const more = await sweepUnits(bench, node, 40);
  return [
    { name: 'sweep of a healthy node with 10 pods of 5 KB', unit: 'RRU', value: few },
    { name: 'the same with 50 pods', unit: 'RRU', value: more },
  ];
};

const wru = (name: string, value: number, note?: string): Figure => ({
  name,
  unit: 'WRU',
  value,
  ...(note === undefined ? {} : { note }),
});

/**
 * What a bind costs beyond the pod itself. DynamoDB Local counts one item per table of a transaction, so claims and counters, which
 * lie in one table, are measured in transactions of their own.
 */
const figures = async (bench: DynamoBench): Promise<readonly Figure[]> => {
  const name = nodeName(1);
  const node = aRoomyNode(name);
  await writersOf(bench).keeping.write(nodeKey(name), () => ({ next: node, writer: 'client' }));
  for (let n = 0; n < PODS_BEFORE; n += 1) await bind(bench, `before-${n}`, node);
  const plain = await bindPlainly(bench, 'plain', node);
  const counted = await bind(bench, 'ours', node);
  const [claim] = await claimsOfNode(bench, name);
  if (!claim) throw new Error('there is no claim');
  const other = { ...claim, uid: systemIds.uuid() };
  const [putUnits = 0, counterUnits = 0] = await unitsOf(bench, {
    node: name,
    claims: [replaced(undefined, other)],
  });
  const ended = { ...other, ended: true };
  const [endUnits = 0] = await unitsOf(bench, { node: name, claims: [replaced(other, ended)] });
  const [goneUnits = 0] = await unitsOf(bench, { node: name, claims: [replaced(ended, undefined)] });
  return [
    wru('bind of a pod of 5 KB, without claims', plain),
    wru(
      'the same with claim and counters',
      plain + putUnits + counterUnits,
      `${counted} counted in one transaction`,
    ),
    wru('put of a claim', putUnits),
    wru('counters of the node', counterUnits),
    wru('end of a claim', endUnits, 'counters once more per 45 pods'),
    wru('deletion of a claim', goneUnits, "2 WRU more for the check of the pod's row"),
    ...(await sweepFigures(bench)),
  ];
};

/** What claims and counters cost. */
export const claimsUnits: Bench = () => onDynamoDb(figures);
