import {
  type LogLine,
  type Measurement,
  type Metric,
  subsystem,
  type Telemetry,
} from '../../shared/ports/process/metrics.ts';
import type { NodeEvictionReport } from './reconcile.ts';

const { counter } = subsystem('node_collector');

/** Named as in Kubernetes, where Kubernetes has the metric. */
export const NODE_EVICTION_METRICS = {
  evictions: counter('evictions_total', 'Nodes that got a NoExecute taint, per zone.', ['zone']),
  wastedTokens: counter(
    'eviction_tokens_wasted_total',
    'Tokens taken for a node that then needed no taint.',
    ['zone'],
  ),
};

const TAKEN: { readonly [Outcome in NodeEvictionReport['outcome']]?: Metric } = {
  tainted: NODE_EVICTION_METRICS.evictions,
  wasted: NODE_EVICTION_METRICS.wastedTokens,
};

const metricsOf = ({ outcome, zone }: NodeEvictionReport): readonly Measurement[] => {
  const metric = TAKEN[outcome];
  return metric ? [{ metric, samples: [{ labels: { zone }, value: 1 }] }] : [];
};

/** A log line for each token taken. */
const linesOf = (report: NodeEvictionReport): readonly LogLine[] =>
  'node' in report ? [{ level: 'info', message: 'eviction token taken', fields: { ...report } }] : [];

export const telemetry: Telemetry<NodeEvictionReport> = { metricsOf, linesOf };
