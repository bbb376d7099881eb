import { createOutboxStores } from '../../shared/adapters/dynamodb/stores.ts';
import { createEventBridgeClient } from '../../shared/adapters/eventbridge/client.ts';
import { createEventBus } from '../../shared/adapters/eventbridge/event-bus.ts';
import { createSqsClient } from '../../shared/adapters/sqs/client.ts';
import { createWorkQueues } from '../../shared/adapters/sqs/work-queues.ts';
import { systemClock as clock } from '../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../shared/adapters/system/id-source.ts';
import { EVICTION_WAKEUPS, SINK_LOOKS } from '../../shared/ports/process/messages.ts';
import { nodeLifecycleConfig, queueUrls, tableNames } from '../../shared/settings/aws/env.ts';
import { createEventRecorder } from '../../shared/store/events/event-recorder.ts';
import { createOutboxBus } from '../../shared/store/events/outbox-bus.ts';
import { createObjectWriter } from '../../shared/store/writer/object-writer.ts';
import { composeSchedule } from '../runtime/compose-schedule.ts';
import { composeSqs } from '../runtime/compose-sqs.ts';
import { parseEnv } from '../runtime/parse-env.ts';
import { recordsOrSchedule } from '../runtime/records-or-schedule.ts';
import { tell } from '../runtime/tell.ts';
import { NodeMonitorEnv } from './env.ts';
import { MonitorTick } from './message.ts';
import { telemetry } from './metrics.ts';
import { TICKS } from './queue.ts';
import { NODE_MONITOR_DEFAULTS, reconcile } from './reconcile.ts';
import { runTicks } from './run-ticks.ts';

const env = parseEnv(NodeMonitorEnv);
const urls = queueUrls(env, [TICKS.name, EVICTION_WAKEUPS, SINK_LOOKS]);
const stores = createOutboxStores(tableNames(env), clock, ids);
const writer = createObjectWriter(stores);
const queues = createWorkQueues({ client: createSqsClient(), urls, clock, ids });
const events = createEventBus({ client: createEventBridgeClient(), busName: env.EVENT_BUS_NAME, clock, ids });
const bus = createOutboxBus({ ...stores, queues, bus: events, sinks: env.EVENT_FILTERS });
const config = { ...NODE_MONITOR_DEFAULTS, ...nodeLifecycleConfig(env) };
const deps = {
  ...stores,
  queues,
  writer,
  recorder: createEventRecorder({ writer, ids }),
  bus,
  config,
  skipsCalmPasses: true,
};

export const handler = recordsOrSchedule(
  composeSqs(MonitorTick, async (tick) => tell(telemetry, await reconcile(deps, tick))),
  composeSchedule(async () => tell(telemetry, await runTicks(deps))),
);
