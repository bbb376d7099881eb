/** What only the group of the node monitor has: the bus of lifecycle events, and the sinks that get them. */
import * as z from 'zod/mini';
import { createOutboxStore } from '../../shared/adapters/dynamodb/objects/outbox.ts';
import { createEventBridgeClient } from '../../shared/adapters/eventbridge/client.ts';
import { createEventBus } from '../../shared/adapters/eventbridge/event-bus.ts';
import { eventBusName } from '../../shared/settings/aws/env.ts';
import { EventFilterVariables } from '../../shared/settings/aws/event-env.ts';
import { createOutboxBus } from '../../shared/store/events/outbox-bus.ts';
import type { ControllerPorts } from '../contract/controller.ts';
import { parseEnv } from '../runtime/parse-env.ts';
import type { GroupPorts } from './ports.ts';

/** The variables of the group. */
export const MoreEnv = z.object({ EVENT_BUS_NAME: eventBusName, ...EventFilterVariables });

/** The ports of the group besides those of every group. */
export const morePorts = async (ports: GroupPorts): Promise<Pick<ControllerPorts, 'bus'>> => {
  const env = parseEnv(MoreEnv);
  const bus = createEventBus({ ...ports, client: createEventBridgeClient(), busName: env.EVENT_BUS_NAME });
  const outbox = createOutboxStore(ports.dynamo);
  return { bus: createOutboxBus({ ...ports, outbox, bus, sinks: env.EVENT_FILTERS }) };
};
