/** What happens between the announcement of a shutdown and the machine's end. Source: kubernetes v1.34 pkg/kubelet/nodeshutdown. */

import type { Pod } from '../../shared/kube/types/core.ts';
import type { NodeReport, ShutdownGauges, ShutdownRecordStore } from '../ports/machine/shutdown.ts';
import type { GraceEntry } from '../rules/shutdown/priority-groups.ts';
import type { ShutdownRecord } from '../rules/shutdown/record.ts';
import { SHUTDOWN_EVENT } from '../rules/shutdown/shutting-down.ts';
import { waitAtMost } from '../wait-at-most.ts';
import type { EndPodsDeps } from './end-pods.ts';
import { endPodsByPriority } from './end-pods.ts';
import type { ShutdownState } from './node-shutdown.ts';

export interface ShutdownDeps extends EndPodsDeps {
  /** Least priority first, see `graceEntries`; not empty. */
  readonly entries: readonly GraceEntry[];
  /** All the time that the machine waits: what the entries do not take is for the last statuses. */
  readonly delaySeconds: number;
  readonly node: NodeReport;
  readonly record: ShutdownRecordStore;
  readonly gauges: ShutdownGauges;
}

const keep = async ({ record, log }: ShutdownDeps, what: ShutdownRecord): Promise<void> => {
  try {
    await record.store(what);
  } catch (error) {
    log('Failed to store graceful shutdown state', error);
  }
};

/** The status is sent meanwhile: the pods have no time to wait for it. */
const syncInBackground = ({ node, log }: ShutdownDeps): void => {
  node.sync().catch((error: unknown) => log('Failed to sync the node status at a shutdown', error));
};

const endAll = async (deps: ShutdownDeps, active: readonly Pod[], state: ShutdownState): Promise<void> => {
  try {
    await endPodsByPriority(deps, deps.entries, active, (progress) => {
      state.progress = progress;
      deps.node.progressed(progress);
    });
  } catch (error) {
    deps.log('Failed to end the pods of this node', error);
  }
};

/** Waits until the API knows how these pods have ended, but not longer than the machine waits. */
const reportAll = async ({ clock, pods, log }: ShutdownDeps, ended: readonly Pod[], until: number) => {
  const over = new AbortController();
  const reported = pods.reported(ended, over.signal);
  if (!(await waitAtMost(clock, until - clock.uptime(), reported)))
    log('The time is over, and the API has not answered the last statuses of all pods');
  over.abort();
};

/** Ends the pods of the node and keeps when. The state says from the first moment on that the node shuts down. */
export const processShutdown = async (
  deps: ShutdownDeps,
  state: ShutdownState,
  announcement: string,
): Promise<void> => {
  const { clock, node, gauges } = deps;
  const until = clock.uptime() + 1000 * deps.delaySeconds;
  node.event(SHUTDOWN_EVENT, announcement);
  state.isShuttingDown = true;
  syncInBackground(deps);
  const startedAt = clock.now();
  await keep(deps, { startedAt });
  gauges.startedAt(startedAt);
  gauges.endedAt(0);
  const active = deps.pods.active();
  await endAll(deps, active, state);
  const endedAt = clock.now();
  await keep(deps, { startedAt, endedAt });
  gauges.endedAt(endedAt);
  await reportAll(deps, active, until);
};

/** Sets the gauges to what the last shutdown left. */
export const restoreGauges = async ({ record, gauges, log }: ShutdownDeps): Promise<void> => {
  try {
    const { startedAt, endedAt } = (await record.load()) ?? {};
    if (startedAt !== undefined) gauges.startedAt(startedAt);
    if (endedAt !== undefined) gauges.endedAt(endedAt);
  } catch (error) {
    log('Failed to load graceful shutdown state', error);
  }
};
