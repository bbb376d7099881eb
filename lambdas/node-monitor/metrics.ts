import {
  type LogLine,
  type Measurement,
  measured,
  subsystem,
  type Telemetry,
} from '../../shared/ports/process/metrics.ts';
import type { NodeError, PassReport, TicksReport, ZoneReport } from './report.ts';

const { counter, gauge, histogram } = subsystem('node_collector');

/** The least and the greatest grace period of a policy are at the ends. */
const GRACES = [10, 20, 30, 40, 50, 60, 90, 120, 300, 900, 3_600, 86_400];

/** Named as in Kubernetes, where Kubernetes has the metric. */
export const NODE_MONITOR_METRICS = {
  zoneSize: gauge('zone_size', 'Counted nodes per zone.', ['zone']),
  zoneHealth: gauge('zone_health', 'Percentage of ready nodes per zone.', ['zone']),
  unhealthyNodesInZone: gauge('unhealthy_nodes_in_zone', 'Not ready nodes per zone.', ['zone']),
  passDuration: histogram(
    'update_all_nodes_health_duration_seconds',
    'Seconds of a pass over the health of all nodes.',
    [],
    [0.01, 0.04, 0.16, 0.64, 2.56, 10.24, 40.96, 163.84],
  ),
  lag: {
    ...gauge(
      'monitor_lag_seconds',
      'How long ago the last health pass began that came to its end, or the time that needed none was over, each minute; 0 without nodes.',
    ),
    isSignOfLife: true,
  },
  flips: counter('node_flips_total', 'Nodes whose Ready became Unknown.'),
  silentNodes: gauge('silent_nodes', 'Nodes whose Ready was Unknown after the last pass.'),
  disruptedZones: gauge('disrupted_zones', 'Zones in partial or full disruption.'),
  waitingNodes: gauge('nodes_waiting_for_eviction', 'Nodes that wait for a NoExecute taint.'),
  heldBackNodes: gauge(
    'nodes_held_back',
    'Silent nodes that keep their Ready for now because a policy paces their zone.',
  ),
  futureBeats: counter(
    'future_beats_total',
    'Nodes whose beats were ahead of the clock and count as of the pass that took them back.',
  ),
  clockAhead: gauge(
    'clock_ahead_seconds',
    'How far the furthest beat, or the clock floor, was ahead of the clock of the last pass.',
  ),
  silentRelays: gauge('silent_relays', 'Relays that have sent no batch for half a grace period.'),
  cutOffNodes: gauge('nodes_cut_off', 'Nodes of sites whose relay fell silent together with all its nodes.'),
  graces: subsystem('rollcall').histogram(
    'grace_seconds',
    'Grace periods of nodes that a survived silence has lengthened, where a policy adapts them.',
    [],
    GRACES,
  ),
  conflicts: counter(
    'node_write_conflicts_total',
    'Writes of nodes refused because of a newer object or heartbeat.',
  ),
  failures: counter('node_write_failures_total', 'Nodes that a pass could not read or write.'),
};
const METRICS = NODE_MONITOR_METRICS;

type Done = Extract<PassReport, { outcome: 'done' }>;

/** Most nodes that are named in log lines of one pass: if the store is down, every node fails. */
const MOST_NAMED = 20;

const perZone = (zones: readonly ZoneReport[]): readonly Measurement[] => {
  const samples = (amount: (zone: ZoneReport) => number) =>
    zones.map((zone) => ({ labels: { zone: zone.zone }, value: amount(zone) }));
  return [
    { metric: METRICS.zoneSize, samples: samples(({ size }) => size) },
    { metric: METRICS.zoneHealth, samples: samples(({ health }) => health) },
    { metric: METRICS.unhealthyNodesInZone, samples: samples(({ notReady }) => notReady) },
  ];
};

/** Only when there are some: a metric that is told is paid. */
const gracesOf = ({ gracesMs }: Done): readonly Measurement[] =>
  gracesMs.length === 0
    ? []
    : [{ metric: METRICS.graces, samples: gracesMs.map((ms) => ({ value: ms / 1000 })) }];

const metricsOf = (report: PassReport | TicksReport): readonly Measurement[] => {
  if (report.outcome === 'queued') return [measured(METRICS.lag, report.lagMs / 1000)];
  if (report.outcome === 'skipped') return [];
  const { silent, zones, flips, heldBack, takenBack, furthestAheadMs, conflicts, errors, durationMs } =
    report;
  const waiting = zones.reduce((sum, zone) => sum + zone.waiting, 0);
  return [
    measured(METRICS.passDuration, durationMs / 1000),
    measured(METRICS.silentNodes, silent),
    measured(METRICS.disruptedZones, zones.filter(({ state }) => state !== 'Normal').length),
    measured(METRICS.waitingNodes, waiting),
    measured(METRICS.flips, flips),
    measured(METRICS.heldBackNodes, heldBack),
    measured(METRICS.futureBeats, takenBack),
    measured(METRICS.clockAhead, furthestAheadMs / 1000),
    measured(METRICS.silentRelays, report.silentRelays),
    measured(METRICS.cutOffNodes, report.cutOffNodes),
    measured(METRICS.conflicts, conflicts),
    measured(METRICS.failures, errors.length),
    ...perZone(zones),
    ...gracesOf(report),
  ];
};

const errorLines = (errors: readonly NodeError[]): readonly LogLine[] => {
  const message = 'failed to read or write node';
  const named = errors
    .slice(0, MOST_NAMED)
    .map((fields): LogLine => ({ level: 'error', message, fields: { ...fields } }));
  const unnamed = errors.length - named.length;
  return unnamed > 0 ? [...named, { level: 'error', message, fields: { moreNodes: unnamed } }] : named;
};

/** One line for all nodes: what matters is that a clock was wrong, and by how much. */
const futureLines = ({ aheadNodes, takenBack, furthestAheadMs }: Done): readonly LogLine[] =>
  furthestAheadMs === 0
    ? []
    : [
        {
          level: 'error',
          message: 'stored beats or the clock floor are ahead of the clock: they count as of now',
          fields: { nodes: aheadNodes, takenBack, furthestAheadSeconds: furthestAheadMs / 1000 },
        },
      ];

const changedNothing = ({ flips, readied, retainted, stripped, postponed, errors }: Done): boolean =>
  flips + readied + retainted + stripped + postponed + errors.length === 0;

/** A log line for each node that failed, one for instants ahead of the clock, and one for a pass that changed something. */
const linesOf = (report: PassReport | TicksReport): readonly LogLine[] => {
  if (report.outcome !== 'done') return [];
  const ahead = futureLines(report);
  if (changedNothing(report)) return ahead;
  const { errors, gracesMs, figures: _figures, awaitsSilences: _awaits, ...pass } = report;
  return [
    ...ahead,
    ...errorLines(errors),
    {
      level: 'info',
      message: 'health pass finished',
      fields: { ...pass, lengthened: gracesMs.length, errors: errors.length },
    },
  ];
};

export const telemetry: Telemetry<PassReport | TicksReport> = { metricsOf, linesOf };
