/** The reports of a node from its start on, one at a time. Source: kubernetes v1.34 pkg/kubelet `syncNodeStatus`. */

import { readyStatusOf } from '../../shared/rules/nodes/node-conditions.ts';
import type { Clock } from '../ports/machine/clock.ts';
import { INITIAL_REPORT_STATE, type ReportState } from '../rules/node-status/report.ts';
import { nodeStatusPatch } from '../rules/node-status/status-patch.ts';
import { type ReportDeps, reportStatus } from './report-status.ts';
import { updateNode } from './update-node.ts';

/** A period lasts up to this part longer, by chance. */
const JITTER = 0.04;
const FAST_PERIOD_MS = 100;
/** After this time a node that starts is left to the usual period. */
const FAST_LIMIT_MS = 120_000;

interface FastReadyDeps extends ReportDeps {
  /** Asks the container runtime how it is, so that what `fill` says is new. Never rejects. */
  probe(): Promise<void>;
}

interface FastReady {
  readonly state: ReportState;
  /** Whether nothing is left to do: the Node is ready, or was reported as such. */
  readonly isDone: boolean;
}

export interface StatusReporterDeps extends FastReadyDeps {
  readonly clock: Pick<Clock, 'uptime' | 'sleep'>;
  /** How often a status is computed. */
  readonly updateFrequencyMs: number;
  /** From 0 up to 1. */
  random(): number;
  /** Resolves when the Node is registered; at once if it is already. It is asked before each report. */
  register(): Promise<void>;
}

export interface StatusReporter {
  /** Reports at once, after a report that is under way: for what cannot wait, such as a shutdown. Returns whether the Node is up to date. */
  report(): Promise<boolean>;
  /** Reports in periods, the first one at once, until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Looks often, for as long as a start may take, whether the node has become ready, and reports it then. */
  becomeReady(signal: AbortSignal): Promise<void>;
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

/**
 * One look, which writes nothing while the machine is not ready. Never rejects. Source: kubernetes v1.34 pkg/kubelet
 * `fastNodeStatusUpdate`.
 */
const reportReadyFast = async (known: ReportState, deps: FastReadyDeps): Promise<FastReady> => {
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

export const createStatusReporter = (deps: StatusReporterDeps): StatusReporter => {
  let state = INITIAL_REPORT_STATE;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
  const report = (): Promise<boolean> =>
    inTurn(async () => {
      await deps.register();
      const result = await reportStatus(state, deps);
      state = result.state;
      return result.node !== undefined;
    });
  const look = (): Promise<boolean> =>
    inTurn(async () => {
      const result = await reportReadyFast(state, deps);
      state = result.state;
      return result.isDone;
    });
  return {
    report,
    run: async (signal) => {
      await deps.probe();
      while (!signal.aborted) {
        await report();
        await deps.clock.sleep(deps.updateFrequencyMs * (1 + JITTER * deps.random()));
      }
    },
    becomeReady: async (signal) => {
      const until = deps.clock.uptime() + FAST_LIMIT_MS;
      while (!signal.aborted && deps.clock.uptime() < until && !(await look()))
        await deps.clock.sleep(FAST_PERIOD_MS);
    },
  };
};
