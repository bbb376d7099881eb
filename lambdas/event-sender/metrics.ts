import {
  type LogLine,
  type Measurement,
  measured,
  type Sample,
  subsystem,
  type Telemetry,
} from '../../shared/ports/process/metrics.ts';
import type { SinkReport } from '../../shared/store/events/deliver-to-sink.ts';

const { counter, gauge } = subsystem('event_sender');

export const EVENT_SENDER_METRICS = {
  deliveries: counter('deliveries_total', 'Deliveries to a sink, by outcome: delivered, failed, refused.', [
    'sink',
    'outcome',
  ]),
  dropped: counter('dropped_total', 'Events that were dropped because too many waited for a sink.', ['sink']),
  oldest: gauge('oldest_event_seconds', 'Seconds for which the oldest event waits, of all sinks of a look.'),
};
const METRICS = EVENT_SENDER_METRICS;

const deliveries = ({ sink, told }: SinkReport): readonly Sample[] =>
  [...Map.groupBy(told, ({ outcome }) => outcome)].map(([outcome, own]) => ({
    value: own.length,
    labels: { sink, outcome },
  }));

const metricsOf = (reports: readonly SinkReport[]): readonly Measurement[] => {
  const oldestMs = Math.max(0, ...reports.map((report) => report.oldestMs));
  const dropped = reports
    .filter((report) => report.dropped > 0)
    .map((report) => ({ value: report.dropped, labels: { sink: report.sink } }));
  return [
    { metric: METRICS.deliveries, samples: reports.flatMap(deliveries) },
    { metric: METRICS.dropped, samples: dropped },
    measured(METRICS.oldest, oldestMs / 1000),
  ];
};

const MESSAGES = {
  delivered: ['info', 'a sink was told'],
  failed: ['info', 'a sink does not take an event; it waits and is sent again'],
  refused: ['error', 'a sink has refused an event for good'],
} as const;

const linesOfSink = ({ sink, told, dropped }: SinkReport): readonly LogLine[] => [
  ...told.map(({ outcome, ...fields }): LogLine => {
    const [level, message] = MESSAGES[outcome];
    return { level, message, fields: { sink, ...fields } };
  }),
  ...(dropped === 0
    ? []
    : [
        {
          level: 'error' as const,
          fields: { sink, dropped },
          message: 'events for a sink were dropped because too many wait',
        },
      ]),
];

export const telemetry: Telemetry<readonly SinkReport[]> = {
  metricsOf,
  linesOf: (reports) => reports.flatMap(linesOfSink),
};
