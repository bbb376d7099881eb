/** What Rollcall tells subscribers outside of the control plane. */
import { type EventType, SEVERITIES, type Severity } from '../../settings/events/event-types.ts';

/** The part that all events have; the schema of a type says what else it has. */
export interface EventDetail extends Readonly<Record<string, unknown>> {
  /** The same for each repetition of an event. Of an event about an object it is `<uid>/<revision>`, by which subscribers order events. */
  readonly id: string;
  readonly severity: Severity;
  /** One sentence for people. */
  readonly message: string;
  /** RFC 3339; absent if nobody has stored when it happened. */
  readonly time?: string;
  /** Name of the zone of the node; absent if the event is not about one zone. */
  readonly zone?: string;
}

/** An event of a type. `detail` is what is told: the data of a CloudEvent, the detail on EventBridge. */
export interface LifecycleEvent {
  readonly detailType: EventType;
  readonly detail: EventDetail;
  /** Labels of the node, for the selectors of subscribers; not part of what is told. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Whether a severity is at least another one. */
export const isAtLeast = (severity: Severity, least: Severity): boolean =>
  SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(least);
