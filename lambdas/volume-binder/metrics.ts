import {
  type Measurement,
  type Metric,
  measured,
  subsystem,
  type Telemetry,
} from '../../shared/ports/process/metrics.ts';
import type { BinderReport, BoundCount } from './deps.ts';

const { counter, gauge } = subsystem('pv_collector');

/** Named as in Kubernetes, where Kubernetes has the metric. */
export const VOLUME_BINDER_METRICS = {
  boundVolumes: gauge('bound_pv_count', 'PersistentVolumes that are bound, by class.', ['storage_class']),
  unboundVolumes: gauge('unbound_pv_count', 'PersistentVolumes that are not bound, by class.', [
    'storage_class',
  ]),
  boundClaims: gauge('bound_pvc_count', 'PersistentVolumeClaims that are bound, by namespace.', [
    'namespace',
  ]),
  unboundClaims: gauge('unbound_pvc_count', 'PersistentVolumeClaims that are not bound, by namespace.', [
    'namespace',
  ]),
  bindings: counter('bindings_total', 'Claims that were bound to a volume.'),
  failed: counter('volume_operation_total_errors', 'Claims and volumes that could not be looked at.'),
};
const METRICS = VOLUME_BINDER_METRICS;

const byGroup = (
  metric: Metric,
  label: string,
  counts: ReadonlyMap<string, BoundCount>,
  which: keyof BoundCount,
): Measurement => ({
  metric,
  samples: [...counts].map(([group, count]) => ({ value: count[which], labels: { [label]: group } })),
});

export const telemetry: Telemetry<BinderReport> = {
  metricsOf: ({ bound, errors, counts: { volumes, claims } }) => [
    byGroup(METRICS.boundVolumes, 'storage_class', volumes, 'bound'),
    byGroup(METRICS.unboundVolumes, 'storage_class', volumes, 'unbound'),
    byGroup(METRICS.boundClaims, 'namespace', claims, 'bound'),
    byGroup(METRICS.unboundClaims, 'namespace', claims, 'unbound'),
    measured(METRICS.bindings, bound),
    measured(METRICS.failed, errors.length),
  ],
  linesOf: ({ errors }) =>
    errors.map((error) => ({
      level: 'error',
      message: 'a claim or volume could not be looked at; it is tried again',
      fields: { error },
    })),
};
