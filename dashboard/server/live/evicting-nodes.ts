/** The nodes that have NoExecute taints, and which of them have to be read again. Sends no request. */
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import { type EpochMs, parseTime } from '../../../shared/kube/values/time.ts';
import { noExecuteTaints, taintsOf } from '../../../shared/rules/nodes/taints.ts';
import { nodeLineOf } from '../../../shared/rules/roll-call/node-line.ts';
import type { PodEviction } from '../../../shared/rules/roll-call/pod-evictions.ts';
import { withShutdownRecordOf } from '../../../shared/rules/shutdown/shutdown-report.ts';

/** Nodes whose pods are known at a time. Those that were tainted first come first: their pods leave first. */
const MOST_NODES = 200;
/** Nodes that are read at a time. */
const AT_ONCE = 4;
/** After a read of a node, it is not read again for so long (ms), however much changes. */
const REST_MS = 1_000;

/** A node with NoExecute taints. */
export interface EvictingNode {
  readonly name: string;
  /** What decides about its pods. */
  readonly node: Node;
  /** Since when it has such a taint. */
  readonly since: EpochMs;
  isStale: boolean;
  isBeingRead: boolean;
  readAt: EpochMs;
  /** Absent: not read yet. */
  evictions: readonly PodEviction[] | undefined;
  /** Pods of StatefulSets that leave. */
  held: readonly string[];
}

/** A Node has kilobytes of which this needs little. */
const slim = (node: Node): Node => {
  const { kind, apiVersion, metadata } = node;
  const little = { kind, apiVersion, metadata: { name: metadata.name }, spec: { taints: taintsOf(node) } };
  return withShutdownRecordOf(little, node);
};

const sinceOf = (node: Node, now: EpochMs): EpochMs =>
  noExecuteTaints(taintsOf(node)).reduce(
    (least, { timeAdded }) => Math.min(least, parseTime(timeAdded ?? '') ?? now),
    now,
  );

const isSame = (a: Node, b: Node): boolean =>
  JSON.stringify([a.spec, a.metadata]) === JSON.stringify([b.spec, b.metadata]);

const leavingOf = (
  pods: readonly Pod[],
  node: Node,
  now: EpochMs,
): Pick<EvictingNode, 'evictions' | 'held'> => {
  const { evictions, held } = nodeLineOf(node, pods, {}, now);
  return { evictions, held };
};

const isKept = ({ evictions = [] }: EvictingNode): boolean => evictions.length > 0;

/** Of those that have to be read, the ones that may be: as many as are `free`, those that were tainted first. */
const dueOf = (all: readonly EvictingNode[], now: EpochMs): readonly EvictingNode[] => {
  const free = AT_ONCE - all.filter(({ isBeingRead }) => isBeingRead).length;
  const hasRoom = all.filter(isKept).length < MOST_NODES;
  return all
    .filter(({ isStale, isBeingRead, readAt }) => isStale && !isBeingRead && now - readAt >= REST_MS)
    .filter((one) => hasRoom || isKept(one))
    .toSorted((a, b) => a.since - b.since)
    .slice(0, Math.max(0, free));
};

/** Keeps them. */
export const createEvictingNodes = (now: () => EpochMs) => {
  const nodes = new Map<string, EvictingNode>();
  let version = 0;

  const drop = (name: string): void => {
    if (nodes.delete(name)) version += 1;
  };
  const put = (object: Node): void => {
    const { name } = object.metadata;
    const [known, node] = [nodes.get(name), slim(object)];
    if (known && isSame(known.node, node)) return;
    const fresh = { isStale: true, isBeingRead: false, readAt: 0, evictions: known?.evictions };
    nodes.set(name, { name, node, held: known?.held ?? [], since: sinceOf(object, now()), ...fresh });
  };

  return {
    size: () => nodes.size,
    /** Rises with each change of what is known. */
    version: () => version,
    put: (object: Node): void => {
      if (noExecuteTaints(taintsOf(object)).length > 0) put(object);
      else drop(object.metadata.name);
    },
    drop,
    /** Forgets nodes that no longer exist. */
    keepOnly: (exists: (name: string) => boolean): void => {
      for (const name of [...nodes.keys()]) if (!exists(name)) drop(name);
    },
    /** Something has changed about the pods of a node. */
    touch: (name: string | undefined): void => {
      const known = nodes.get(name ?? '');
      if (known) known.isStale = true;
    },
    touchAll: (): void => {
      for (const known of nodes.values()) known.isStale = true;
    },
    /** What was read of their pods may be old: it is known again when it has been read again. */
    outdated: (): void => {
      for (const known of nodes.values())
        Object.assign(known, { evictions: undefined, held: [], isStale: true });
      version += 1;
    },
    /** Those to read now: known ones that have changed, and new ones as long as there is room. They count as being read. */
    take: (): readonly EvictingNode[] => {
      const taken = dueOf([...nodes.values()], now());
      for (const one of taken) Object.assign(one, { isStale: false, isBeingRead: true });
      return taken;
    },
    /** The node has been read; without pods it could not be, and is read again. */
    wasRead: (one: EvictingNode, pods: readonly Pod[] | undefined): void => {
      Object.assign(one, { isBeingRead: false, readAt: now() });
      if (pods) Object.assign(one, leavingOf(pods, one.node, now()));
      else one.isStale = true;
      version += 1;
    },
    /** Those of which pods leave, or are held. */
    kept: (): readonly EvictingNode[] =>
      [...nodes.values()].filter((one) => isKept(one) || one.held.length > 0),
  };
};

export type EvictingNodes = ReturnType<typeof createEvictingNodes>;
