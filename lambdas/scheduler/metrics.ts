import { type Measurement, measured, subsystem, type Telemetry } from '../../shared/ports/process/metrics.ts';
import type { SchedulerReport } from './report.ts';

const { counter, gauge } = subsystem('scheduler');

/** Named as in Kubernetes, where Kubernetes has the metric. */
export const SCHEDULER_METRICS = {
  attempts: counter('schedule_attempts_total', 'Attempts to place a pod, by result.', ['result']),
  preemptionAttempts: counter('preemption_attempts_total', 'Pods that have preempted others.'),
  victims: counter('preemption_victims_total', 'Pods deleted to make room for others.'),
  refusedBinds: counter(
    'refused_binds_total',
    'Binds refused because somebody else had taken the room or changed the node.',
  ),
  pending: gauge('pending_pods', 'Pods that wait, by queue.', ['queue']),
};
const METRICS = SCHEDULER_METRICS;

const attemptsOf = ({ scheduled, unschedulable, errors }: SchedulerReport): Measurement => ({
  metric: METRICS.attempts,
  samples: [
    { value: scheduled, labels: { result: 'scheduled' } },
    { value: unschedulable, labels: { result: 'unschedulable' } },
    { value: errors.length, labels: { result: 'error' } },
  ].filter(({ value }) => value > 0),
});

const pendingOf = ({ waiting }: SchedulerReport): readonly Measurement[] =>
  waiting
    ? [
        {
          metric: METRICS.pending,
          samples: Object.entries(waiting).map(([queue, value]) => ({ value, labels: { queue } })),
        },
      ]
    : [];

export const telemetry: Telemetry<SchedulerReport> = {
  metricsOf: (report) => [
    attemptsOf(report),
    measured(METRICS.preemptionAttempts, report.preemptions),
    measured(METRICS.victims, report.victims),
    measured(METRICS.refusedBinds, report.refusedBinds),
    ...pendingOf(report),
  ],
  linesOf: ({ errors }) =>
    errors.map((error) => ({ level: 'error', message: 'failed to place a pod', fields: { error } })),
};
