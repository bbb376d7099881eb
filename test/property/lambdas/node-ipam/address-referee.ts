// What an allocation, and a day that has ended, are held to: by the stored Nodes and nothing else.

import type { Node } from '../../../../shared/kube/types/core.ts';
import { overlaps, parseCidr } from '../../../../shared/kube/values/cidr.ts';
import type { AddressStore } from '../../../../shared/ports/store/addresses.ts';
import type { HeartbeatStore } from '../../../../shared/ports/store/heartbeats.ts';
import type { ObjectStore } from '../../../../shared/ports/store/object-store.ts';
import { liveRow, type Row } from '../../../../shared/ports/store/rows.ts';
import { type ClusterRange, clusterRanges } from '../../../../shared/rules/addresses/cluster-range.ts';
import { heldBlocks, podCidrsOf } from '../../../../shared/rules/addresses/node-blocks.ts';
import type { NodeIpamConfig } from '../../../../shared/settings/node-ipam.ts';

/** 32 blocks of each family, less those of the service range: they run out. */
export const CONFIG: NodeIpamConfig = {
  clusterCidrs: ['10.244.0.0/19', 'fd00:10:244::/59'],
  nodeMasks: [24, 64],
  serviceRanges: ['10.244.4.0/22'],
};
export const RANGES = clusterRanges(CONFIG);

export interface AddressStores {
  readonly objects: ObjectStore;
  readonly heartbeats: HeartbeatStore;
  readonly addresses: AddressStore;
}

const nodesIn = async ({ objects }: Pick<AddressStores, 'objects'>): Promise<readonly Node[]> =>
  (await objects.page({ resource: 'nodes', namespace: '' })).rows.map(({ object }) => object);

const sharesAddress = (a: readonly string[], b: readonly string[]): boolean =>
  a.some((one) =>
    b.some((other) => {
      const [first, second] = [parseCidr(one), parseCidr(other)];
      return first !== undefined && second !== undefined && overlaps(first, second);
    }),
  );

/** Judges each allocation when it is stored, by the stored Nodes and nothing else. */
export const createReferee = () => {
  const nodes = new Map<string, Node>();
  const faults: string[] = [];
  let [allocations, releases] = [0, 0];
  const judge = (node: Node): void => {
    allocations += 1;
    const own = podCidrsOf(node);
    if (own.length !== RANGES.length) faults.push(`${node.metadata.name} got ${own.join()}`);
    if (sharesAddress(own, CONFIG.serviceRanges)) faults.push(`${own.join()} is of the services`);
    for (const other of nodes.values())
      if (other.metadata.name !== node.metadata.name && sharesAddress(own, podCidrsOf(other)))
        faults.push(`${own.join()} of ${node.metadata.name} is held by ${other.metadata.name}`);
  };
  const seeLive = (was: Node | undefined, is: Node): void => {
    if (podCidrsOf(is).length === 0 || is.metadata.annotations?.['brought']) return;
    const had = was?.metadata.uid === is.metadata.uid && was ? podCidrsOf(was) : [];
    if (had.length === 0) judge(is);
    else if (had.join() !== podCidrsOf(is).join()) faults.push(`${is.metadata.name} got other podCIDRs`);
  };
  const see = (before: Row | undefined, after: Row): void => {
    const is: Node | undefined = liveRow(after)?.object;
    if (is) {
      seeLive(liveRow(before)?.object, is);
      nodes.set(after.key.name, is);
    } else {
      const was: Node | undefined = liveRow(before)?.object;
      if (was && podCidrsOf(was).length > 0) releases += 1;
      nodes.delete(after.key.name);
    }
  };
  return { see, faults, allocations: () => allocations, releases: () => releases };
};

const holdText = (range: string, first: number, last: number, uid: string): string =>
  `${range} ${first}-${last} ${uid}`;

const storedHolds = async (
  { addresses }: AddressStores,
  { name }: ClusterRange,
): Promise<readonly string[]> => {
  const { blocks } = await addresses.blocks(name, 0);
  const { wide } = await addresses.range(name);
  return [
    ...blocks.flatMap(({ index, holders }) => holders.map(({ uid }) => holdText(name, index, index, uid))),
    ...wide.map(({ first, last, uid }) => holdText(name, first, last, uid)),
  ];
};

const indexesOf = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, n) => first + n);

/** Whether a range has no free block for these Nodes. */
const isFull = (nodes: readonly Node[]): boolean =>
  RANGES.some(({ name, size, reserved }) => {
    const held = nodes.flatMap((node) => heldBlocks(RANGES, podCidrsOf(node)));
    const taken = [...reserved, ...held.filter(({ range }) => range === name)];
    return new Set(taken.flatMap(({ first, last }) => indexesOf(first, last))).size === size;
  });

/** At quiet: what is held is what the Nodes have, and a Node without podCIDRs waits because nothing is free. */
export const faultsAtQuiet = async (state: AddressStores): Promise<readonly string[]> => {
  const nodes = await nodesIn(state);
  const wanted = nodes.flatMap((node) =>
    heldBlocks(RANGES, podCidrsOf(node)).map(({ range, first, last }) =>
      holdText(range, first, last, node.metadata.uid ?? ''),
    ),
  );
  const stored = (await Promise.all(RANGES.map((range) => storedHolds(state, range)))).flat();
  const without = nodes.filter((node) => podCidrsOf(node).length === 0).map(({ metadata }) => metadata.uid);
  const waiting = (await state.addresses.waiting()).map(({ uid }) => uid);
  return [
    ...stored.filter((hold) => !wanted.includes(hold)).map((hold) => `leaked: ${hold}`),
    ...wanted.filter((hold) => !stored.includes(hold)).map((hold) => `not stored: ${hold}`),
    ...without.filter((uid) => !waiting.includes(uid ?? '')).map((uid) => `forgotten: ${uid}`),
    ...waiting.filter((uid) => !without.includes(uid)).map((uid) => `waits for nothing: ${uid}`),
    ...(without.length > 0 && !isFull(nodes) ? ['Nodes wait although a block is free'] : []),
  ];
};
