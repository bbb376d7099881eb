/** The reports of a node from its start on, one at a time. Source: kubernetes v1.34 pkg/kubelet `syncNodeStatus`. */

import type { Clock } from '../ports/machine/clock.ts';
import { INITIAL_REPORT_STATE } from '../rules/node-status/report.ts';
import { type FastReadyDeps, reportReadyFast } from './fast-ready.ts';
import { reportStatus } from './report-status.ts';

/** A period lasts up to this part longer, by chance. */
const JITTER = 0.04;
const FAST_PERIOD_MS = 100;
/** After this time a node that starts is left to the usual period. */
const FAST_LIMIT_MS = 120_000;

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
