import type { CloudEvent } from '../../shared/rules/notifications/cloud-event.ts';
import type { Delivery } from '../../shared/rules/notifications/delivery.ts';
import type { EventFilter } from '../../shared/settings/events/event-filter.ts';

/** Somebody who gets events: a URL or a command. */
export interface Sink {
  /** For metrics, the log and stored rows. It tells no secret: of a URL only the host. */
  readonly name: string;
  readonly filter: EventFilter;
  /** Whether events of a zone are told together. */
  readonly isGrouped: boolean;
  /** Deliveries at the same time. */
  readonly atOnce: number;
  /** Failed tries after which an event is given up; absent: it is tried until it succeeds. */
  readonly mostTries?: number;
  /** Rejects if there was no answer. */
  deliver(event: CloudEvent, signal: AbortSignal): Promise<Delivery>;
  close(): void;
}
