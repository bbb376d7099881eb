import { StatusError } from '../../shared/kube/errors/status-error.ts';
import type { Node } from '../../shared/kube/types/core.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import { type EventRecorder, nodeTarget } from '../../shared/ports/process/event-recorder.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { AddressStore, Holder } from '../../shared/ports/store/addresses.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import { type LiveRow, liveRow, nodeKey } from '../../shared/ports/store/rows.ts';
import { type ClusterRange, clusterRanges } from '../../shared/rules/addresses/cluster-range.ts';
import { outsideRanges, outsideText, podCidrsOf } from '../../shared/rules/addresses/node-blocks.ts';
import type { NodeIpamConfig } from '../../shared/settings/node-ipam.ts';
import { type Allocation, allocateAddresses } from '../../shared/store/claims/allocate-addresses.ts';
import {
  enterAllNodes,
  enterNode,
  forgetEntered,
  leaveAddresses,
} from '../../shared/store/claims/hold-addresses.ts';
import type { ObjectWriter } from '../../shared/store/writer/object-writer.ts';
import { cidrAssignmentFailed, cidrNotAvailable } from './events.ts';
import type { NodeIpamMessage } from './message.ts';
import { NODE_IPAM_QUEUE } from './queue.ts';

/** Milliseconds after which a run tries no further waiting Node and sends itself a message for the others. */
const RUN_MS = 10_000;
/** Seconds until waiting Nodes are tried again after a release, because a query may show a freed block as still held. */
const SECOND_LOOK_SECONDS = 10;

export interface NodeIpamDeps {
  readonly addresses: AddressStore;
  readonly objects: Pick<ObjectStore, 'read' | 'page'>;
  readonly writer: ObjectWriter;
  readonly clock: Clock;
  readonly queues: WorkQueues;
  readonly recorder: EventRecorder;
  /** `undefined`: node-ipam is off. */
  readonly nodeIpam: NodeIpamConfig | undefined;
}

export interface NodeIpamReport {
  /** Names of the cluster CIDRs. */
  readonly clusterCidrs: readonly string[];
  readonly allocations: readonly Allocation[];
  /** Nodes that gave back their podCIDRs. */
  readonly released: number;
  /** A sentence for each podCIDR that lies outside of the cluster CIDRs. */
  readonly outside: readonly string[];
}

const NOTHING: Omit<NodeIpamReport, 'clusterCidrs'> = { allocations: [], released: 0, outside: [] };

/** Gives a Node its podCIDRs, and records an Event if that fails. */
const allocate = async (
  deps: NodeIpamDeps,
  ranges: readonly ClusterRange[],
  node: Holder,
): Promise<Allocation> => {
  try {
    const allocation = await allocateAddresses(deps, ranges, node);
    if (allocation.outcome === 'exhausted')
      await deps.recorder.record(nodeTarget(node.name, node.uid), cidrNotAvailable(node.name), 'exhausted');
    return allocation;
  } catch (error) {
    // Any other error, such as the end of the process, says nothing about the Node.
    if (error instanceof StatusError)
      await deps.recorder.record(nodeTarget(node.name, node.uid), cidrAssignmentFailed(node.name), 'failed');
    throw error;
  }
};

/** The sentences about podCIDRs of a Node that lie outside of the cluster CIDRs. */
export const outsideSentences = (ranges: readonly ClusterRange[], { object }: LiveRow): readonly string[] => {
  const node: Node = object;
  return outsideRanges(ranges, podCidrsOf(node)).map((cidr) => outsideText(ranges, node, cidr));
};

const reconcileNode = async (
  deps: NodeIpamDeps,
  ranges: readonly ClusterRange[],
  { name, uid }: Holder,
): Promise<Partial<NodeIpamReport>> => {
  const row = liveRow(await deps.objects.read(nodeKey(name)));
  if (row?.uid !== uid) return {};
  const node: Node = row.object;
  if (podCidrsOf(node).length === 0) return { allocations: [await allocate(deps, ranges, { name, uid })] };
  await enterNode(deps, ranges, row);
  return { outside: outsideSentences(ranges, row) };
};

/**
 * Tries the waiting Nodes, the one that has waited longest first, until no block is left. Nodes that got podCIDRs by other means,
 * or are gone, wait no longer.
 */
export const wakeWaiting = async (
  deps: NodeIpamDeps,
  ranges: readonly ClusterRange[],
): Promise<readonly Allocation[]> => {
  const until = deps.clock.now() + RUN_MS;
  const allocations: Allocation[] = [];
  for (const node of await deps.addresses.waiting()) {
    if (deps.clock.now() >= until) {
      await deps.queues.send(NODE_IPAM_QUEUE.name, [{ body: { v: 1, kind: 'wake' } }]);
      break;
    }
    const allocation = await allocate(deps, ranges, node);
    allocations.push(allocation);
    if (allocation.outcome === 'exhausted') break;
    await deps.addresses.stopWaiting(node.uid);
  }
  return allocations;
};

/** Frees the blocks of a Node that is gone, for those that wait. */
const release = async (
  deps: NodeIpamDeps,
  ranges: readonly ClusterRange[],
  { name, uid, podCidrs }: Extract<NodeIpamMessage, { kind: 'gone' }>,
): Promise<Partial<NodeIpamReport>> => {
  const released = await leaveAddresses(deps, ranges, { name, uid }, podCidrs);
  const allocations = await wakeWaiting(deps, ranges);
  if (allocations.at(-1)?.outcome === 'exhausted')
    await deps.queues.send(NODE_IPAM_QUEUE.name, [
      { body: { v: 1, kind: 'wake' }, delaySeconds: SECOND_LOOK_SECONDS },
    ]);
  return { allocations, released: released ? 1 : 0 };
};

const handle = async (
  deps: NodeIpamDeps,
  ranges: readonly ClusterRange[],
  message: NodeIpamMessage,
): Promise<Partial<NodeIpamReport>> => {
  await enterAllNodes(deps, ranges);
  if (message.kind === 'node') return reconcileNode(deps, ranges, message);
  if (message.kind === 'gone') return release(deps, ranges, message);
  return { allocations: await wakeWaiting(deps, ranges) };
};

/**
 * Gives a new Node its podCIDRs, stores who holds those that a Node brought along, and frees those of a Node that is gone. A freed
 * block goes to the Node that has waited longest. Throws if a Node cannot be written.
 */
export const reconcile = async (deps: NodeIpamDeps, message: NodeIpamMessage): Promise<NodeIpamReport> => {
  if (!deps.nodeIpam) {
    await forgetEntered(deps);
    return { ...NOTHING, clusterCidrs: [] };
  }
  const clusterCidrs = deps.nodeIpam.clusterCidrs;
  return { ...NOTHING, clusterCidrs, ...(await handle(deps, clusterRanges(deps.nodeIpam), message)) };
};
