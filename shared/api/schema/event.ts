import { int32, keptText, microTime, struct, text, time } from './field-types.ts';
import { objectMeta, objectReference } from './meta.ts';

export const eventSchema = struct('Event', {
  apiVersion: text,
  kind: text,
  metadata: objectMeta,
  involvedObject: objectReference,
  reason: text,
  message: text,
  source: struct('EventSource', { component: text, host: text }),
  firstTimestamp: time,
  lastTimestamp: time,
  count: int32,
  type: text,
  eventTime: microTime,
  series: struct('EventSeries', { count: int32, lastObservedTime: microTime }),
  action: text,
  related: objectReference,
  reportingComponent: keptText,
  reportingInstance: keptText,
});
