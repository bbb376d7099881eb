import type { Event } from '../../kube/types/core.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { toTime } from '../../kube/values/time.ts';
import type { EventRecorder, EventTarget, EventText } from '../../ports/process/event-recorder.ts';
import type { IdSource } from '../../ports/process/id-source.ts';
import type { ObjectKey } from '../../ports/store/rows.ts';
import { isOutlived } from '../writer/namespace-guard.ts';
import type { Decide, ObjectWriter } from '../writer/object-writer.ts';

/** Milliseconds that an Event is kept. Kubernetes: `--event-ttl` 1 h. */
const EVENT_TTL_MS = 60 * 60_000;
const MASK = (1n << 64n) - 1n;

/** What the event recorder needs. */
export interface EventRecorderDeps {
  readonly writer: ObjectWriter;
  readonly ids: IdSource;
  /** Called for each event that could not be written, so that it can be counted. */
  readonly onLost?: (error: unknown) => void;
}

/** FNV-1a, 64 bits, as sixteen hexadecimal digits. */
const fnv1a64 = (text: string): string => {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & MASK;
  return hash.toString(16).padStart(16, '0');
};

/** One name per object, reason and occasion: a repeat finds the existing event. */
const keyOf = (
  { namespace, name, uid }: EventTarget,
  { reason }: EventText,
  occasion: string,
): ObjectKey => ({
  resource: 'events',
  namespace: namespace === '' ? 'default' : namespace,
  name: `${name}.${fnv1a64(`${uid}\0${reason}\0${occasion}`)}`,
});

const reference = ({
  kind,
  apiVersion = 'v1',
  namespace,
  name,
  uid,
}: EventTarget): Event['involvedObject'] => ({
  kind,
  ...(namespace === '' ? {} : { namespace }),
  name,
  uid,
  apiVersion,
});

const eventOf = (key: ObjectKey, uid: string, target: EventTarget, text: EventText, now: EpochMs): Event => {
  const time = toTime(now);
  const reported = { eventTime: null, reportingComponent: text.component, reportingInstance: '' };
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: key.name, namespace: key.namespace, uid, creationTimestamp: time },
    involvedObject: reference(target),
    reason: text.reason,
    message: text.message,
    source: { component: text.component },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    type: text.type,
    ...reported,
  };
};

/** Creates a recorder that stores Events as ordinary objects, each for an hour. */
export const createEventRecorder = ({ writer, ids, onLost }: EventRecorderDeps): EventRecorder => ({
  record: async (target, text, occasion) => {
    const key = keyOf(target, text, occasion);
    try {
      const decide: Decide = (row, now) => {
        if (row?.state === 'live') return undefined;
        const next = eventOf(key, ids.uuid(), target, text, now);
        return { next, writer: 'controller', expiresAt: now + EVENT_TTL_MS };
      };
      await writer.write(key, decide, 'absent');
    } catch (error) {
      // Nobody has to know of an Event in a namespace that is being deleted.
      if (!isOutlived(error)) onLost?.(error);
    }
  },
});
