/** One look at the Node: what its agent makes of it. Source: kubernetes v1.34 pkg/kubelet `updateNode`. */

import type { NodeEvent, ReportedNode } from '../rules/node/reported-status.ts';
import {
  isNodeChanged,
  newPodCidrs,
  type Platform,
  type ReportState,
  schedulableEvent,
  withPlatformLabels,
} from '../rules/node-status/report.ts';

export interface UpdateDeps {
  readonly platform: Platform;
  /** The Node with the status that the machine has, and the events about what changed. It is asked in every try. */
  fill(node: ReportedNode): Promise<{ readonly node: ReportedNode; readonly events: readonly NodeEvent[] }>;
  /** Tells the container runtime the pod CIDRs, with commas between them. */
  updatePodCidrs(cidrs: string): Promise<void>;
  record(event: NodeEvent): void;
  /** What went wrong and is tried again. */
  warn(problem: string, error: unknown): void;
}

/** Told once, whether or not the runtime took it; one that did not is told again with the next report. */
const tellPodCidrs = async (
  node: ReportedNode,
  state: ReportState,
  deps: UpdateDeps,
): Promise<{ readonly state: ReportState; readonly isNew: boolean }> => {
  const podCidrs = newPodCidrs(node, state);
  if (podCidrs === undefined) return { state, isNew: false };
  try {
    await deps.updatePodCidrs(podCidrs);
    return { state: { ...state, podCidrs }, isNew: true };
  } catch (error) {
    deps.warn('the runtime did not take the pod CIDRs', error);
    return { state, isNew: true };
  }
};

export interface Update {
  readonly state: ReportState;
  readonly node: ReportedNode;
  readonly isChanged: boolean;
}

/** The Node brought up to date, and whether that is a change; events are recorded with each look. */
export const updateNode = async (
  before: ReportedNode,
  known: ReportState,
  deps: UpdateDeps,
): Promise<Update> => {
  const { state, isNew } = await tellPodCidrs(before, known, deps);
  const { node, events } = await deps.fill(withPlatformLabels(before, deps.platform));
  const schedulable = schedulableEvent(node, state);
  for (const event of [...events, ...(schedulable ? [schedulable] : [])]) deps.record(event);
  return {
    node,
    state: { ...state, isUnschedulable: node.spec?.unschedulable === true },
    isChanged: isNew || isNodeChanged(before, node),
  };
};
