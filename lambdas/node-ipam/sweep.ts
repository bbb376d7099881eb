/** Finds what lost messages left behind: Nodes without podCIDRs, and blocks whose holders are gone. */
import type { Node } from '../../shared/kube/types/core.ts';
import type { AddressChange, HeldBlock, Holder } from '../../shared/ports/store/addresses.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import { type LiveRow, liveRow, nodeKey } from '../../shared/ports/store/rows.ts';
import { type ClusterRange, clusterRanges } from '../../shared/rules/addresses/cluster-range.ts';
import { podCidrsOf } from '../../shared/rules/addresses/node-blocks.ts';
import { enterAllNodes, leaveBlocks } from '../../shared/store/claims/hold-addresses.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import type { NodeIpamMessage } from './message.ts';
import { NODE_IPAM_QUEUE } from './queue.ts';
import { type NodeIpamDeps, outsideSentences, wakeWaiting } from './reconcile.ts';

/** Rows read at the same time. */
const READS_AT_ONCE = 16;

export interface SweepDeps extends NodeIpamDeps {
  readonly objects: Pick<ObjectStore, 'read' | 'page' | 'nodeHealth'>;
}

/** How full a range is. */
export interface RangeUsage {
  readonly clusterCidr: string;
  readonly size: number;
  /** Blocks that nobody can get: held ones, those under a wider CIDR of a Node, and those of the service ranges. */
  readonly taken: number;
}

export interface SweepReport {
  readonly ranges: readonly RangeUsage[];
  /** Nodes that wait for a block. */
  readonly waiting: number;
  /** Nodes that were queued because they have no podCIDRs, or because nobody knew who holds those that they have. */
  readonly queued: number;
  /** Blocks whose holder is gone. */
  readonly freed: number;
  /** See `NodeIpamReport`. */
  readonly outside: readonly string[];
}

type Hold = Extract<AddressChange, { readonly first: number }>;

const allBlocks = async ({ addresses }: SweepDeps, range: string): Promise<readonly HeldBlock[]> => {
  const found: HeldBlock[] = [];
  for (let from: number | undefined = 0; from !== undefined; ) {
    const page = await addresses.blocks(range, from);
    found.push(...page.blocks);
    from = page.next;
  }
  return found;
};

interface Held {
  readonly usage: RangeUsage;
  readonly holds: readonly Hold[];
}

const heldIn = async (deps: SweepDeps, range: ClusterRange): Promise<Held> => {
  const { name, size, reserved } = range;
  const blocks = await allBlocks(deps, name);
  const { wide } = await deps.addresses.range(name);
  const leave = (holder: Holder, first: number, last: number): Hold => ({
    change: 'leave',
    range: name,
    first,
    last,
    holder: { uid: holder.uid, name: holder.name },
  });
  const spans = [...wide, ...reserved].reduce((sum, { first, last }) => sum + last - first + 1, 0);
  const clusterCidr = name.replace(/\/\d+$/, '');
  return {
    usage: { clusterCidr, size, taken: Math.min(size, blocks.length + spans) },
    holds: [
      ...blocks.flatMap(({ index, holders }) => holders.map((one) => leave(one, index, index))),
      ...wide.map((hold) => leave(hold, hold.first, hold.last)),
    ],
  };
};

/** The names of all Nodes by uid, from the index: a Node that was just made may be missing. */
const indexedNodes = async ({ objects }: SweepDeps): Promise<ReadonlyMap<string, string>> => {
  const nodes = new Map<string, string>();
  for await (const { value } of objects.nodeHealth()) for (const { uid, name } of value) nodes.set(uid, name);
  return nodes;
};

/** Frees what those hold that the index does not list. The transaction finds out whether they are really gone. */
const freeForgotten = async (
  deps: SweepDeps,
  holds: readonly Hold[],
  nodes: ReadonlyMap<string, string>,
): Promise<number> => {
  let freed = 0;
  for (const hold of holds) if (!nodes.has(hold.holder.uid) && (await leaveBlocks(deps, [hold]))) freed += 1;
  return freed;
};

const liveNode = async ({ objects }: SweepDeps, { uid, name }: Holder): Promise<readonly LiveRow[]> => {
  const row = liveRow(await objects.read(nodeKey(name)));
  return row?.uid === uid ? [row] : [];
};

/**
 * The Nodes that still wait. A run that ended early may have left one that got podCIDRs, or is gone; it is taken off the list.
 */
const stillWaiting = async (
  deps: SweepDeps,
  holders: ReadonlySet<string>,
  nodes: ReadonlyMap<string, string>,
): Promise<readonly Holder[]> => {
  const left: Holder[] = [];
  for (const node of await deps.addresses.waiting()) {
    const isKnown = nodes.has(node.uid) || (await liveNode(deps, node)).length > 0;
    if (isKnown && !holders.has(node.uid)) left.push(node);
    else await deps.addresses.stopWaiting(node.uid);
  }
  return left;
};

const needsWork = ({ object }: LiveRow, outside: readonly string[]): boolean => {
  const node: Node = object;
  return podCidrsOf(node).length === 0 || outside.length < podCidrsOf(node).length;
};

/** Queues the Nodes that hold nothing, unless they wait, or all that they have lies outside of the ranges. */
const queueForgotten = async (
  deps: SweepDeps,
  ranges: readonly ClusterRange[],
  nodes: readonly Holder[],
): Promise<Pick<SweepReport, 'queued' | 'outside'>> => {
  const rows = (await inParallel(nodes, READS_AT_ONCE, (node) => liveNode(deps, node))).flat();
  const looked = rows.map((row) => ({ row, outside: outsideSentences(ranges, row) }));
  const messages = looked
    .filter(({ row, outside }) => needsWork(row, outside))
    .map(({ row }): NodeIpamMessage => ({ v: 1, kind: 'node', name: row.key.name, uid: row.uid }));
  if (messages.length > 0)
    await deps.queues.send(
      NODE_IPAM_QUEUE.name,
      messages.map((body) => ({ body })),
    );
  return { queued: messages.length, outside: looked.flatMap(({ outside }) => outside) };
};

/** Resolves to `undefined` while node-ipam is off. */
export const sweep = async (deps: SweepDeps): Promise<SweepReport | undefined> => {
  if (!deps.nodeIpam) return undefined;
  const ranges = clusterRanges(deps.nodeIpam);
  await enterAllNodes(deps, ranges);
  const held: Held[] = [];
  for (const range of ranges) held.push(await heldIn(deps, range));
  const holds = held.flatMap((one) => one.holds);
  const nodes = await indexedNodes(deps);
  const freed = await freeForgotten(deps, holds, nodes);
  await wakeWaiting(deps, ranges);
  const holders = new Set(holds.map(({ holder }) => holder.uid));
  const waiting = await stillWaiting(deps, holders, nodes);
  const known = new Set([...holders, ...waiting.map(({ uid }) => uid)]);
  const forgotten = [...nodes].filter(([uid]) => !known.has(uid)).map(([uid, name]) => ({ uid, name }));
  return {
    ...(await queueForgotten(deps, ranges, forgotten)),
    ranges: held.map(({ usage }) => usage),
    waiting: waiting.length,
    freed,
  };
};
