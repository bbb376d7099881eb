/** The dashboard of a cluster: for `rollcall dashboard`, and beside the demonstration. */
import { type RunningDashboard, startDashboard } from '../../dashboard/server/start.ts';
import { GROUP_NODE_OPERATORS } from '../../shared/kube/types/well-known.ts';
import type { HostLog } from '../../shared/serving/machine/host-log.ts';
import type { ApiAccess } from '../access/api-access.ts';
import { ROLES } from '../access/identities.ts';
import { ownProgram } from '../shell/own-program.ts';

export interface ClusterDashboard {
  /** On loopback; 0: a free one. */
  readonly port: number;
  /** Whether Leases are watched, so that nodes are shown as late. */
  readonly hasBeats: boolean;
  /** Whether the page may act on nodes; default: it may only read. */
  readonly hasActions?: boolean;
  readonly hostLog: HostLog;
  /** Called when somebody has opened the link, and there is another one. */
  readonly onLinkUsed?: () => void;
}

/** Who acts by the page: it may change Nodes, ask for drains and change Holds, and nothing else. */
const OPERATOR = { name: 'rollcall-dashboard', groups: [GROUP_NODE_OPERATORS] };

/** Seconds for which a token is valid. */
const TOKEN_SECONDS = 3_600;

/** Starts it, with tokens that may only read, and with others for actions if there are any. Rejects with a `HostProblem`. */
export const startDashboardOf = async (
  { server, ca, tokens, nodeLifecycle }: ApiAccess,
  { port, hasBeats, hasActions = false, hostLog, onLinkUsed }: ClusterDashboard,
): Promise<RunningDashboard> =>
  startDashboard({
    url: new URL(server),
    ca,
    port,
    hasBeats,
    hostLog,
    onLinkUsed,
    token: tokens(ROLES.viewer, TOKEN_SECONDS),
    actionToken: hasActions ? tokens(OPERATOR, TOKEN_SECONDS) : undefined,
    nodeLifecycle,
    program: ownProgram(),
  });
