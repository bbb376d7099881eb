import { subsystem, summedTelemetry } from '../../shared/ports/process/metrics.ts';
import type { LookReport } from './look.ts';

const { counter } = subsystem('statefulset_controller');

export const STATEFUL_SET_METRICS = {
  created: counter('pods_created_total', 'Pods created for StatefulSets.'),
  deleted: counter('pods_deleted_total', 'Pods deleted to replace them, or because fewer are wanted.'),
  adopted: counter('pods_adopted_total', 'Pods without controller that a StatefulSet adopted.'),
  released: counter('pods_released_total', 'Pods that a StatefulSet no longer selected and released.'),
  claims: counter('claims_created_total', 'PersistentVolumeClaims created from templates.'),
  failures: counter(
    'failures_total',
    'Looks at a StatefulSet in which a pod or a claim could not be created.',
  ),
};

export const telemetry = summedTelemetry<LookReport>([
  [STATEFUL_SET_METRICS.created, ({ created }) => created],
  [STATEFUL_SET_METRICS.deleted, ({ deleted }) => deleted],
  [STATEFUL_SET_METRICS.adopted, ({ adopted }) => adopted],
  [STATEFUL_SET_METRICS.released, ({ released }) => released],
  [STATEFUL_SET_METRICS.claims, ({ claims }) => claims],
  [STATEFUL_SET_METRICS.failures, ({ failure }) => Number(failure !== undefined)],
]);
