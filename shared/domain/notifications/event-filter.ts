/** Which events a subscriber gets. */
import { type LabelRequirement, matchesLabels } from '../../api/selector/label-selector.ts';
import { type EventType, isAtLeast, type LifecycleEvent, type Severity } from './lifecycle-event.ts';

/** What a subscriber asks for. Absent members ask for everything. */
export interface EventFilter {
  readonly types?: readonly EventType[];
  /** Names of zones. An event that is about no zone passes only without this. */
  readonly zones?: readonly string[];
  /** Labels of the node. An event that is about no node passes only without this. */
  readonly selector?: readonly LabelRequirement[];
  readonly severity: Severity;
}

/** Whether an event passes the filter. */
export const passesFilter = (
  { detailType, detail, labels }: LifecycleEvent,
  { types, zones, selector, severity }: EventFilter,
): boolean =>
  isAtLeast(detail.severity, severity) &&
  (types === undefined || types.includes(detailType)) &&
  (zones === undefined || (detail.zone !== undefined && zones.includes(detail.zone))) &&
  (selector === undefined || (labels !== undefined && matchesLabels(selector, labels)));
