/** What a fleet needs of AWS's quotas and of the stack's settings. Source of the quotas: docs/large-fleets.md. */

import { MOST_INTERVAL_SHARE } from '../../shared/settings/aws/configuration.ts';
import { DEFAULTS } from '../../shared/settings/defaults.ts';
import { requestsPerSecond } from './beats.ts';
import type { Fleet } from './fleet.ts';
import { BATCH, PASS, QUOTA } from './measured.ts';

/** Seconds of silence after which a node is Unknown, unless it is set. */
const GRACE_SECONDS = DEFAULTS.nodeLifecycle.nodeMonitorGracePeriodMs / 1000;
/** The longest interval that the setting takes with this grace period. */
const MOST_INTERVAL_SECONDS = GRACE_SECONDS * MOST_INTERVAL_SHARE;

const concurrencyOf = (fleet: Fleet): number =>
  Math.ceil(requestsPerSecond(fleet) / QUOTA.requestsOfExecution);

const concurrencyNeeds = (fleet: Fleet): readonly string[] => {
  const units = concurrencyOf(fleet);
  if (units <= QUOTA.reserved) return [];
  const ask = units > QUOTA.executions ? '; ask AWS for more executions than 1,000 in the account' : '';
  return [`heartbeatReservedConcurrency of ${units}, instead of ${QUOTA.reserved}${ask}`];
};

const tableNeeds = (fleet: Fleet): readonly string[] => {
  const writes = Math.ceil(requestsPerSecond(fleet));
  const partitions = Math.ceil(writes / QUOTA.partitionWrites);
  if (writes <= QUOTA.newTableWrites) return [];
  const quota = writes > QUOTA.tableWrites ? '; ask AWS for more than 40,000 in one table' : '';
  return [`a table warmed for ${writes} writes a second, in ${partitions} partitions at least${quota}`];
};

const monitorNeeds = ({ nodes }: Fleet): readonly string[] => {
  const seconds = (PASS.seconds * nodes) / PASS.nodes;
  if (seconds <= PASS.everySeconds) return [];
  return [
    `more memory for the node monitor: a pass would take ${seconds.toFixed(1)} s at 256 MB, and begins each ${PASS.everySeconds} s`,
  ];
};

const beatNeeds = ({ nodes, isRelayed, intervalSeconds }: Fleet): readonly string[] => [
  ...(isRelayed ? [`${Math.ceil(nodes / BATCH.nodes)} parts of relays, of ${BATCH.nodes} nodes each`] : []),
  ...(intervalSeconds > DEFAULTS.heartbeatIntervalSeconds && !isRelayed
    ? [`heartbeatInterval of ${intervalSeconds} s; kubelets and agents have their own`]
    : []),
  ...(intervalSeconds > MOST_INTERVAL_SECONDS
    ? [
        `a nodeMonitorGracePeriod of ${4 * intervalSeconds} s: with ${GRACE_SECONDS} s heartbeatInterval is at most ${MOST_INTERVAL_SECONDS} s`,
      ]
    : []),
];

/** What the fleet needs beyond the defaults, a sentence each; none: the defaults are enough. */
export const needsOf = (fleet: Fleet): readonly string[] => [
  ...beatNeeds(fleet),
  ...concurrencyNeeds(fleet),
  ...tableNeeds(fleet),
  ...monitorNeeds(fleet),
];
