/** Series about the nodes of each zone, and about the passes over them: what a pass of the monitor tells the host. */
import type { PassReport } from '../../lambdas/node-monitor/report.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Definition, MetricsRegistry } from '../../shared/serving/http/prometheus.ts';

const NODES = 'rollcall_nodes';
const SILENCE = 'rollcall_node_silence_before_unknown_seconds';
const LAST_PASS = 'rollcall_last_pass_timestamp_seconds';
/** The default grace period is 40 s; a fast host and a patient policy are at the ends. */
const SILENCES = [1, 5, 10, 20, 30, 40, 45, 50, 60, 90, 120, 300, 600];

export const FLEET_SERIES: Readonly<Record<string, Definition>> = {
  [NODES]: {
    kind: 'gauge',
    help: 'Nodes per zone by the status of their Ready condition; Unreported: nobody has written it yet.',
    labels: ['zone', 'ready'],
  },
  [SILENCE]: {
    kind: 'histogram',
    help: 'Seconds from the last beat of a node until its Ready became Unknown.',
    buckets: SILENCES,
  },
  [LAST_PASS]: {
    kind: 'gauge',
    help: 'When the last pass over the health of all nodes ended, seconds since 1970.',
  },
};

/** Records what a pass says that has ended at `now`. A zone without nodes has no series. */
export const recordPass = (metrics: MetricsRegistry, report: PassReport, now: EpochMs): void => {
  if (report.outcome === 'skipped') return;
  const { statuses, silencesMs } = report.figures;
  metrics.clear(NODES);
  for (const { zone, ready, nodes } of statuses) metrics.set(NODES, { zone, ready }, nodes);
  for (const silenceMs of silencesMs) metrics.observe(SILENCE, silenceMs / 1000);
  metrics.set(LAST_PASS, {}, now / 1000);
};
