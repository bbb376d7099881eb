import { subsystem, summedTelemetry } from '../../shared/ports/process/metrics.ts';
import type { LookReport } from './look.ts';

const { counter } = subsystem('daemonset_controller');

export const DAEMON_SET_METRICS = {
  looks: counter('looks_total', 'Looks at a DaemonSet.'),
  created: counter('pods_created_total', 'Pods created for DaemonSets.'),
  deleted: counter(
    'pods_deleted_total',
    'Pods of DaemonSets deleted: surplus, outdated, misplaced or ended.',
  ),
  ended: counter(
    'ended_pods_deleted_total',
    'Pods of DaemonSets deleted because they had failed or succeeded.',
  ),
  failures: counter('pod_creation_failures_total', 'Looks at a DaemonSet in which a pod was refused.'),
};

export const telemetry = summedTelemetry<LookReport>([
  [DAEMON_SET_METRICS.looks, () => 1],
  [DAEMON_SET_METRICS.created, ({ created }) => created],
  [DAEMON_SET_METRICS.deleted, ({ deleted }) => deleted],
  [DAEMON_SET_METRICS.ended, ({ ended }) => ended],
  [DAEMON_SET_METRICS.failures, ({ failure }) => Number(failure !== undefined)],
]);
