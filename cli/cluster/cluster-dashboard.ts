/** The dashboard of a cluster: for `rollcall dashboard`, and beside the demonstration. */
import { type RunningDashboard, startDashboard } from '../../dashboard/server/start.ts';
import { GROUP_NODE_OPERATORS } from '../../shared/kube/types/well-known.ts';
import type { HostLog } from '../../shared/serving/machine/host-log.ts';
import type { Cluster } from '../access/cluster.ts';
import { tokensOf } from '../access/cluster-tokens.ts';
import { ROLES } from '../access/token.ts';
import { ownProgram } from '../shell/own-program.ts';

export interface ClusterDashboard {
  /** On loopback; 0: a free one. */
  readonly port: number;
  /** Whether Leases are watched, so that nodes are shown as late. */
  readonly hasBeats: boolean;
  /** Whether the page may act on nodes; default: it may only read. */
  readonly hasActions?: boolean;
  readonly now: () => number;
  readonly hostLog: HostLog;
}

/** Who acts by the page: it may change Nodes and ask for drains, and nothing else. */
const OPERATOR = { name: 'rollcall-dashboard', groups: [GROUP_NODE_OPERATORS] };

/** Starts it, with tokens that may only read, and with others for actions if there are any. Rejects with a `HostProblem`. */
export const startDashboardOf = async (
  cluster: Cluster,
  { port, hasBeats, hasActions = false, now, hostLog }: ClusterDashboard,
): Promise<RunningDashboard> =>
  startDashboard({
    ...{ url: new URL(await cluster.server()), ca: cluster.ca, port, hasBeats, hostLog },
    token: tokensOf(cluster.authority, ROLES.viewer, now),
    actionToken: hasActions ? tokensOf(cluster.authority, OPERATOR, now) : undefined,
    ...{ nodeLifecycle: cluster.nodeLifecycle, program: ownProgram() },
  });
