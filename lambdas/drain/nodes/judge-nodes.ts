/** What a NodeMaintenance has to do about each node. */

import { selects } from '../../../shared/kube/selector/object-selector.ts';
import { byText } from '../../../shared/kube/text/compare-text.ts';
import type { Node } from '../../../shared/kube/types/core.ts';
import type { NodeMaintenance } from '../../../shared/kube/types/node-maintenance.ts';
import { parseTime } from '../../../shared/kube/values/time.ts';
import type { WindowState } from '../../../shared/rules/drain/maintenance-window.ts';
import {
  isOfMaintenance,
  type MaintenanceRecord,
  type MaintenanceStep,
  maintenanceId,
  maintenanceOf,
  maintenanceStep,
} from '../../../shared/rules/drain/node-in-maintenance.ts';
import { mayBegin } from '../../../shared/rules/drain/nodes-to-maintain.ts';
import { listAll } from '../../../shared/store/lists/list-all.ts';
import { createLister } from '../../../shared/store/lists/lists.ts';
import type { DrainDeps } from '../deps.ts';

/** A node whose maintenance is in progress. */
export interface GoingNode {
  readonly node: Node;
  readonly record: MaintenanceRecord;
  readonly step: MaintenanceStep;
}

export interface JudgedNodes {
  /** Names the window that is counted: the one that is open, or else the last one. `undefined`: there was none. */
  readonly id: string | undefined;
  /** All nodes. */
  readonly listed: readonly Node[];
  readonly selected: number;
  readonly going: readonly GoingNode[];
  /** Nodes that have not begun in this window. */
  readonly waiting: readonly Node[];
  readonly done: number;
  readonly failures: readonly { readonly name: string; readonly message: string }[];
}

/** A node and what its annotation says. */
interface RecordedNode {
  readonly node: Node;
  readonly record: MaintenanceRecord | undefined;
}

const goingNode = (
  { node, record }: RecordedNode,
  maintenance: NodeMaintenance,
  window: WindowState,
  id: string | undefined,
): GoingNode | undefined => {
  const isGoing = record?.phase === 'InProgress' && isOfMaintenance(record, maintenance.metadata.name);
  if (!record || !isGoing) return undefined;
  const isOver = window.state !== 'open' || record.id !== id;
  return { node, record, step: maintenanceStep(node, record, maintenance, isOver) };
};

const phaseIn = ({ record }: RecordedNode, id: string | undefined): MaintenanceRecord['phase'] | undefined =>
  record?.id === id ? record?.phase : undefined;

/** The id of the window that is open, or else of the last one in which a node has begun, or that the status names. */
const windowIdOf = (
  maintenance: NodeMaintenance,
  window: WindowState,
  nodes: readonly RecordedNode[],
): string | undefined => {
  if (window.state === 'open') return maintenanceId(maintenance, window.window.startAt);
  const toldAt = parseTime(maintenance.status?.windowStartTime ?? '');
  const told = toldAt === undefined ? [] : [maintenanceId(maintenance, toldAt)];
  const { name } = maintenance.metadata;
  const begun = nodes.flatMap(({ record }) => (record && isOfMaintenance(record, name) ? [record.id] : []));
  // Ids of one NodeMaintenance end with an instant in RFC 3339.
  return [...told, ...begun].toSorted(byText).at(-1);
};

/** Judges all nodes, as an exact list shows them: two looks in a row must not begin with more nodes than may be in progress. */
export const judgeNodes = async (
  deps: DrainDeps,
  maintenance: NodeMaintenance,
  window: WindowState,
): Promise<JudgedNodes> => {
  const listed = await listAll<Node>(createLister(deps), 'nodes', '');
  const nodes = listed.map((node): RecordedNode => ({ node, record: maintenanceOf(node) }));
  const id = windowIdOf(maintenance, window, nodes);
  const going = nodes.flatMap((one) => goingNode(one, maintenance, window, id) ?? []);
  const busy = new Set(going.map(({ node }) => node));
  const { nodeSelector } = maintenance.spec ?? {};
  const selected = nodes.filter(({ node }) => selects(nodeSelector, node.metadata.labels));
  const others = selected.filter(({ node }) => !busy.has(node));
  const byPhase = Map.groupBy(others, (one) => phaseIn(one, id) ?? 'InProgress');
  const waiting = byPhase.get('InProgress') ?? [];
  return {
    id,
    listed,
    selected: selected.length,
    going,
    waiting: window.state === 'open' ? waiting.map(({ node }) => node) : [],
    done: byPhase.get('Done')?.length ?? 0,
    failures: (byPhase.get('Failed') ?? []).map(({ node, record }) => ({
      name: node.metadata.name,
      message: record?.message ?? '',
    })),
  };
};

/** Those of the waiting nodes that may begin, in the order of their names. */
export const beginnersIn = (
  { spec = {} }: NodeMaintenance,
  window: WindowState,
  { waiting }: JudgedNodes,
): readonly Node[] => (window.state === 'open' && !spec.suspend ? waiting.filter(mayBegin) : []);
