/** Reports the status of the Node, with retries. Source: kubernetes v1.34 pkg/kubelet `updateNodeStatus`. */

import type { NodeApi } from '../ports/api/node-api.ts';
import type { Clock } from '../ports/machine/clock.ts';
import type { ReportedNode } from '../rules/node/reported-status.ts';
import { isDelayDrawn, isReportDue, type ReportState } from '../rules/node-status/report.ts';
import { nodeStatusPatch } from '../rules/node-status/status-patch.ts';
import { type UpdateDeps, updateNode } from './update-node.ts';

/** Tries of one report, without a pause between them. */
const TRIES = 5;

export interface ReportDeps extends UpdateDeps {
  readonly nodes: NodeApi;
  /** How often a status is written that has not changed. */
  readonly frequencyMs: number;
  readonly clock: Pick<Clock, 'uptime'>;
  /** A delay by chance, such as `delayAfterChange`. */
  drawDelay(): number;
  /** Closes idle connections: several tries in a row have failed, and one of the connections may be dead. */
  resetConnections(): void;
}

export interface Report {
  readonly state: ReportState;
  /** The Node as the server has it; `undefined`: every try has failed. */
  readonly node?: ReportedNode;
  /** Whether it was written. */
  readonly isWritten: boolean;
}

/** What was found out stays known when the write fails: `remember` is called before it. */
const tryReport = async (
  read: () => Promise<ReportedNode>,
  known: ReportState,
  deps: ReportDeps,
  remember: (state: ReportState) => void,
): Promise<Report> => {
  const before = await read();
  const { state, node, isChanged } = await updateNode(before, known, deps);
  remember(state);
  if (!isChanged && !isReportDue(state, deps.frequencyMs, deps.clock.uptime()))
    return { state, node: before, isWritten: false };
  const delayMs = isDelayDrawn(state, isChanged) ? deps.drawDelay() : 0;
  const delayed = { ...state, delayMs };
  remember(delayed);
  const written = await deps.nodes.patchStatus(nodeStatusPatch(before, node));
  return { state: { ...delayed, lastReportAt: deps.clock.uptime() }, node: written, isWritten: true };
};

/**
 * Brings the status of the Node up to date: the first try starts from the Node as it is known, the next ones read it. Never rejects:
 * without success the report has no `node`, and the next period tries again.
 */
export const reportStatus = async (known: ReportState, deps: ReportDeps): Promise<Report> => {
  let state = known;
  const remember = (next: ReportState): void => {
    state = next;
  };
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const read = attempt === 0 ? deps.nodes.known : deps.nodes.get;
    try {
      return await tryReport(() => read.call(deps.nodes), state, deps, remember);
    } catch (error) {
      if (attempt > 0) deps.resetConnections();
      deps.warn('the status of the node could not be reported', error);
    }
  }
  return { state, isWritten: false };
};
