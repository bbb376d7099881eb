/** The sinks of a host: an event bus that stores events for them, and the senders. */
import type { NoticeStore } from '../../shared/adapters/sqlite/objects/notices.ts';
import type { EventBus } from '../../shared/ports/outside/event-bus.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { IdSource } from '../../shared/ports/process/id-source.ts';
import type { Definition } from '../../shared/serving/http/prometheus.ts';
import type { HostLog } from '../../shared/serving/machine/host-log.ts';
import type { Loop } from '../../shared/serving/machine/loop.ts';
import type { EventSettings } from '../../shared/settings/host/host-configuration.ts';
import { createCommandSink } from './command-sink.ts';
import { createHttpSink } from './http-sink.ts';
import { createOutbox } from './outbox.ts';
import { type SenderDeps, startSender } from './sender.ts';
import { sinkSettings } from './sink-settings.ts';

const [WAITING, OLDEST] = ['rollcall_event_sink_waiting', 'rollcall_event_sink_oldest_seconds'];
const DELIVERIES = 'rollcall_event_sink_deliveries_total';
const DROPPED = 'rollcall_event_sink_dropped_total';

/** The series of sinks. */
export const SINK_SERIES: Readonly<Record<string, Definition>> = {
  [WAITING]: { kind: 'gauge', help: 'Events that wait for a sink.', labels: ['sink'] },
  [OLDEST]: { kind: 'gauge', help: 'Seconds for which the oldest event waits for a sink.', labels: ['sink'] },
  [DELIVERIES]: {
    kind: 'counter',
    help: 'Deliveries to a sink: delivered, failed (it is tried again), refused (it is not).',
    labels: ['sink', 'outcome'],
  },
  [DROPPED]: {
    kind: 'counter',
    help: 'Events that were dropped because too many waited for a sink.',
    labels: ['sink'],
  },
};

interface Metrics {
  add(name: string, labels: Readonly<Record<string, string>>, value?: number): void;
  set(name: string, labels: Readonly<Record<string, string>>, value: number): void;
}

/** What the sinks of a host need. */
export interface SinksDeps {
  readonly notices: NoticeStore;
  readonly clock: Clock;
  readonly ids: Pick<IdSource, 'random'>;
  readonly metrics: Metrics;
  readonly hostLog: HostLog;
  readonly clusterId: string;
}

const reporting = (deps: SinksDeps): SenderDeps => {
  const { metrics, hostLog, ids } = deps;
  const isFailing = new Set<string>();
  return {
    ...deps,
    random: () => ids.random(),
    onDelivery: (sink, outcome, { said }) => {
      metrics.add(DELIVERIES, { sink, outcome });
      const isNews = !isFailing.has(sink);
      if (outcome === 'failed') isFailing.add(sink);
      if (outcome === 'failed' && isNews)
        hostLog.warn('a sink does not take events; they wait and are sent again', { sink, said });
      if (outcome === 'refused') hostLog.warn('a sink has refused an event for good', { sink, said });
      if (outcome === 'delivered' && isFailing.delete(sink))
        hostLog.info('a sink takes events again', { sink });
    },
    onLength: (sink, count, oldestMs) => {
      metrics.set(WAITING, { sink }, count);
      metrics.set(OLDEST, { sink }, oldestMs / 1000);
    },
    onError: (error) => hostLog.error('failed to look at the events for a sink', { error }),
  };
};

/** Starts the senders of all sinks; `undefined`: there are none. Throws if a setting is wrong or a file cannot be read. */
export const startSinks = (
  deps: SinksDeps,
  settings: EventSettings,
): { readonly bus: EventBus; readonly loops: readonly Loop[] } | undefined => {
  const { urls, commands } = sinkSettings(settings);
  const sinks = [...urls.map((one) => createHttpSink(one, deps.clock)), ...commands.map(createCommandSink)];
  const given = deps.notices.keepOnly(sinks.map(({ name }) => name));
  if (given > 0) deps.hostLog.warn(`${given} events waited for sinks that are not there any more`);
  if (sinks.length === 0) return undefined;
  const senders = sinks.map((sink) => startSender(reporting(deps), sink));
  const onDropped = (sink: string, count: number): void => {
    deps.metrics.add(DROPPED, { sink }, count);
    deps.hostLog.warn('events for a sink were dropped because too many wait', { sink, count });
  };
  return { bus: createOutbox({ ...deps, onDropped }, senders), loops: senders };
};
