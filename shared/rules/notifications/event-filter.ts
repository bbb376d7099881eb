/** Which events a subscriber gets. */
import { matchesLabels } from '../../kube/selector/label-selector.ts';
import type { EventFilter } from '../../settings/events/event-filter.ts';
import { isAtLeast, type LifecycleEvent } from './lifecycle-event.ts';

/** Whether an event passes the filter. */
export const passesFilter = (
  { detailType, detail, labels }: LifecycleEvent,
  { types, zones, selector, severity }: EventFilter,
): boolean =>
  isAtLeast(detail.severity, severity) &&
  (types === undefined || types.includes(detailType)) &&
  (zones === undefined || (detail.zone !== undefined && zones.includes(detail.zone))) &&
  (selector === undefined || (labels !== undefined && matchesLabels(selector, labels)));
