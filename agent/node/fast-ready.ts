/** A node that starts does not wait for its period to say that it is ready. Source: kubernetes v1.34 pkg/kubelet `fastNodeStatusUpdate`. */
import { readyStatusOf } from '../../shared/rules/nodes/node-conditions.ts';
import type { ReportState } from '../rules/node-status/report.ts';
import { nodeStatusPatch } from '../rules/node-status/status-patch.ts';
import { type ReportDeps, reportStatus } from './report-status.ts';
import { updateNode } from './update-node.ts';

export interface FastReadyDeps extends ReportDeps {
  /** Asks the container runtime how it is, so that what `fill` says is new. Never rejects. */
  probe(): Promise<void>;
}

export interface FastReady {
  readonly state: ReportState;
  /** Whether nothing is left to do: the Node is ready, or was reported as such. */
  readonly isDone: boolean;
}

/** Only a Node that is not ready on the server, and is as soon as it is written, is written. */
const tryFast = async (
  known: ReportState,
  deps: FastReadyDeps,
  remember: (state: ReportState) => void,
): Promise<FastReady> => {
  const before = await deps.nodes.known();
  const was = readyStatusOf(before);
  if (was === 'True' || was === undefined) return { state: known, isDone: was === 'True' };
  await deps.probe();
  const { state, node, isChanged } = await updateNode(before, known, deps);
  remember(state);
  if (!isChanged || readyStatusOf(node) !== 'True') return { state, isDone: false };
  try {
    await deps.nodes.patchStatus(nodeStatusPatch(before, node));
    return { state: { ...state, lastReportAt: deps.clock.uptime() }, isDone: true };
  } catch (error) {
    deps.warn('the node could not be reported as ready at once', error);
    const report = await reportStatus(state, deps);
    return { state: report.state, isDone: true };
  }
};

/** One look, which writes nothing while the machine is not ready. Never rejects. */
export const reportReadyFast = async (known: ReportState, deps: FastReadyDeps): Promise<FastReady> => {
  let state = known;
  const remember = (next: ReportState): void => {
    state = next;
  };
  try {
    return await tryFast(known, deps, remember);
  } catch (error) {
    deps.warn('the node could not be looked at', error);
    return { state, isDone: false };
  }
};
