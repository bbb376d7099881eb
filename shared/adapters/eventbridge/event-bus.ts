import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { EventBus } from '../../ports/outside/event-bus.ts';
import type { LifecycleEvent } from '../../rules/notifications/lifecycle-event.ts';
import { type BatchDeps, sendInBatches } from '../sqs/batches.ts';

/** What the event bus needs. */
export interface EventBusDeps extends BatchDeps {
  readonly client: EventBridgeClient;
  /** Name or ARN of the bus. */
  readonly busName: string;
}

const SOURCE = 'rollcall';

const put =
  (client: EventBridgeClient, EventBusName: string) =>
  async (events: readonly LifecycleEvent[]): Promise<readonly LifecycleEvent[]> => {
    const Entries = events.map(({ detailType, detail }) => ({
      EventBusName,
      Source: SOURCE,
      DetailType: detailType,
      Detail: JSON.stringify(detail),
    }));
    const answer = await client.send(new PutEventsCommand({ Entries }));
    return events.filter((_, index) => answer.Entries?.[index]?.ErrorCode !== undefined);
  };

/** Publishes lifecycle events on an EventBridge bus, with the source `rollcall`. */
export const createEventBus = ({ client, busName, ...deps }: EventBusDeps): EventBus => ({
  publish: (events) => sendInBatches(deps, events, put(client, busName)),
});
