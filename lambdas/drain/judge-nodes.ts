/** What a NodeMaintenance has to do about each node. */
import type { Node } from '../../shared/api/core.ts';
import type { NodeMaintenance } from '../../shared/api/node-maintenance.ts';
import { selects } from '../../shared/api/selector/object-selector.ts';
import { listAll } from '../../shared/apiserver/namespaces/list-all.ts';
import type { WindowState } from '../../shared/domain/drain/maintenance-window.ts';
import {
  isOfMaintenance,
  type MaintenanceRecord,
  type MaintenanceStep,
  maintenanceId,
  maintenanceOf,
  maintenanceStep,
  mayBegin,
} from '../../shared/domain/drain/node-in-maintenance.ts';
import { createLister } from '../../shared/state/lists.ts';
import type { DrainDeps } from './deps.ts';

/** A node whose maintenance is in progress. */
export interface GoingNode {
  readonly node: Node;
  readonly record: MaintenanceRecord;
  readonly step: MaintenanceStep;
}

export interface JudgedNodes {
  readonly selected: number;
  readonly going: readonly GoingNode[];
  /** Nodes that have not begun in this window. */
  readonly waiting: readonly Node[];
  readonly done: number;
  readonly failures: readonly { readonly name: string; readonly message: string }[];
}

const goingNode = (
  node: Node,
  maintenance: NodeMaintenance,
  window: WindowState,
  id: string | undefined,
): GoingNode | undefined => {
  const record = maintenanceOf(node);
  const isGoing = record?.phase === 'InProgress' && isOfMaintenance(record, maintenance.metadata.name);
  if (!record || !isGoing) return undefined;
  const isOver = window.state !== 'open' || record.id !== id;
  return { node, record, step: maintenanceStep(node, record, maintenance, isOver) };
};

const isInPhase = (node: Node, id: string | undefined, phase: MaintenanceRecord['phase']): boolean => {
  const record = maintenanceOf(node);
  return record?.id === id && record?.phase === phase;
};

/** Judges all nodes, as an exact list shows them: two looks in a row must not begin with more nodes than may be in progress. */
export const judgeNodes = async (
  deps: DrainDeps,
  maintenance: NodeMaintenance,
  window: WindowState,
): Promise<JudgedNodes> => {
  const id = 'window' in window ? maintenanceId(maintenance, window.window.startAt) : undefined;
  const nodes = await listAll<Node>(createLister(deps), 'nodes', '');
  const going = nodes.flatMap((node) => goingNode(node, maintenance, window, id) ?? []);
  const busy = new Set(going.map(({ node }) => node.metadata.name));
  const selected = nodes.filter(({ metadata }) => selects(maintenance.spec?.nodeSelector, metadata.labels));
  const others = selected.filter(({ metadata }) => !busy.has(metadata.name));
  const failed = others.filter((node) => isInPhase(node, id, 'Failed'));
  const done = others.filter((node) => isInPhase(node, id, 'Done'));
  const ended = new Set([...failed, ...done]);
  return {
    selected: selected.length,
    going,
    waiting: window.state === 'open' ? others.filter((node) => !ended.has(node)) : [],
    done: done.length,
    failures: failed.map((node) => ({
      name: node.metadata.name,
      message: maintenanceOf(node)?.message ?? '',
    })),
  };
};

/** Those of the waiting nodes that may begin, in the order of their names. */
export const beginnersIn = (
  { spec = {} }: NodeMaintenance,
  window: WindowState,
  { waiting }: JudgedNodes,
): readonly Node[] => (window.state === 'open' && !spec.suspend ? waiting.filter(mayBegin) : []);
