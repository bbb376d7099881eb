import {
  type LogLine,
  type Measurement,
  measured,
  type Sample,
  subsystem,
  type Telemetry,
} from '../../shared/ports/process/metrics.ts';
import type { NodeIpamReport } from './reconcile.ts';
import type { SweepReport } from './sweep.ts';

const { counter, gauge, histogram } = subsystem('node_ipam_controller');

/** Named as in Kubernetes, where Kubernetes has the metric. `cirdset` is how Kubernetes spells it. */
export const NODE_IPAM_METRICS = {
  allocations: counter('cidrset_cidrs_allocations_total', 'CIDRs allocated.', ['clusterCIDR']),
  releases: counter('cidrset_cidrs_releases_total', 'CIDRs released.', ['clusterCIDR']),
  tries: histogram(
    'cidrset_allocation_tries_per_request',
    'Writes that were tried for one allocation.',
    ['clusterCIDR'],
    [1, 2, 3, 5, 10],
  ),
  usage: gauge('cidrset_usage_cidrs', 'Share of the CIDRs that were taken at the last sweep.', [
    'clusterCIDR',
  ]),
  most: gauge('cirdset_max_cidrs', 'CIDRs into which the cluster CIDR is divided.', ['clusterCIDR']),
  waiting: gauge('nodes_waiting', 'Nodes that waited for a free CIDR at the last sweep.'),
  repairs: counter('repairs_total', 'Nodes and CIDRs that a sweep found because their message was lost.'),
};
const METRICS = NODE_IPAM_METRICS;

/** The outcome of a message, or what a sweep found. */
export type NodeIpamReports = NodeIpamReport | SweepReport;

const metricsOfMessage = ({
  clusterCidrs,
  allocations,
  released,
}: NodeIpamReport): readonly Measurement[] => {
  const allocated = allocations.filter(({ outcome }) => outcome === 'allocated');
  const perRange = (values: readonly number[]): readonly Sample[] =>
    clusterCidrs.flatMap((clusterCIDR) => values.map((value) => ({ value, labels: { clusterCIDR } })));
  return [
    { metric: METRICS.allocations, samples: perRange([allocated.length]) },
    { metric: METRICS.releases, samples: perRange([released]) },
    { metric: METRICS.tries, samples: perRange(allocated.map(({ tries }) => tries)) },
  ];
};

const metricsOfSweep = ({ ranges, waiting, queued, freed }: SweepReport): readonly Measurement[] => {
  const labelled = (numberOf: (range: SweepReport['ranges'][number]) => number): readonly Sample[] =>
    ranges.map((range) => ({ value: numberOf(range), labels: { clusterCIDR: range.clusterCidr } }));
  return [
    { metric: METRICS.usage, samples: labelled(({ taken, size }) => taken / size) },
    { metric: METRICS.most, samples: labelled(({ size }) => size) },
    measured(METRICS.waiting, waiting),
    measured(METRICS.repairs, queued + freed),
  ];
};

const metricsOf = (report: NodeIpamReports): readonly Measurement[] =>
  'waiting' in report ? metricsOfSweep(report) : metricsOfMessage(report);

const linesOf = ({ outside: [why, ...others] }: NodeIpamReports): readonly LogLine[] =>
  why === undefined
    ? []
    : [
        {
          level: 'error',
          message: 'podCIDRs outside of the cluster CIDRs are left alone',
          fields: { why, others: others.length },
        },
      ];

export const telemetry: Telemetry<NodeIpamReports> = { metricsOf, linesOf };
