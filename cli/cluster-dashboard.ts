/** The dashboard of a cluster: for `rollcall dashboard`, and beside the demonstration. */
import { type RunningDashboard, startDashboard } from '../local/dashboard/start.ts';
import type { HostLog } from '../local/serving/host-log.ts';
import type { Cluster } from './cluster.ts';
import { tokensOf } from './cluster-tokens.ts';
import { ownProgram } from './own-program.ts';

export interface ClusterDashboard {
  /** On loopback; 0: a free one. */
  readonly port: number;
  /** Whether Leases are watched, so that nodes are shown as late. */
  readonly hasBeats: boolean;
  readonly now: () => number;
  readonly hostLog: HostLog;
}

/** Starts it, with tokens that may only read. Rejects with a `HostProblem`. */
export const startDashboardOf = async (
  cluster: Cluster,
  { port, hasBeats, now, hostLog }: ClusterDashboard,
): Promise<RunningDashboard> =>
  startDashboard({
    ...{ url: new URL(await cluster.server()), ca: cluster.ca, port, hasBeats, hostLog },
    token: tokensOf(cluster.authority, 'viewer', now),
    ...{ nodeLifecycle: cluster.nodeLifecycle, program: ownProgram() },
  });
