/** What an event of AWS says about an instance. Sources: the event reference of Amazon EC2, EC2 Auto Scaling and AWS Health. */
import { isObject, type JsonObject } from '../../kube/json/json-object.ts';
import { type EpochMs, parseTime } from '../../kube/values/time.ts';
import { CLOUD_EVENTS, type CloudEventName } from '../../settings/events/cloud-events.ts';
import { INSTANCE_STATES, type InstanceState } from './instance.ts';

/** Names a lifecycle action of an Auto Scaling group that waits for an answer. */
export interface LifecycleAction {
  readonly group: string;
  readonly hook: string;
  readonly token: string;
}

/** What is going to happen to an instance. */
export type NoticeKind = 'spot' | 'rebalance' | 'maintenance' | 'lifecycle';

/** One statement about one instance. */
export type CloudWord =
  | { readonly says: 'state'; readonly instance: string; readonly state: InstanceState }
  | {
      readonly says: 'leaves';
      readonly instance: string;
      readonly notice: NoticeKind;
      /** Names the notice: a second delivery has the same. */
      readonly id: string;
      /** When the machine goes. Absent: nobody knows. */
      readonly goesAt?: EpochMs;
      readonly action?: LifecycleAction;
    }
  | {
      readonly says: 'scheduled';
      readonly instance: string;
      /** Names the maintenance, in all that is said about it. */
      readonly id: string;
      /** When it was said. */
      readonly saidAt: EpochMs;
      /** When it begins. Absent: nobody knows. */
      readonly startsAt?: EpochMs;
      /** It is over or cancelled. */
      readonly isOver: boolean;
    };

/** An event as EventBridge delivers it. */
export interface CloudEvent {
  readonly id: string;
  readonly source: string;
  readonly 'detail-type': string;
  /** RFC 3339, by the clock of AWS. */
  readonly time: string;
  readonly detail: JsonObject;
}

/** The time between the warning and the end of a Spot instance. */
const SPOT_WARNING_MS = 120_000;
/** An Auto Scaling group waits at least this long for an answer that nobody has configured otherwise: an hour. */
const LIFECYCLE_MS = 60 * 60_000;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const stateOf = ({ detail }: CloudEvent): readonly CloudWord[] => {
  const state = INSTANCE_STATES.find((one) => one === detail['state']);
  const instance = text(detail['instance-id']);
  return state === undefined || instance === '' ? [] : [{ says: 'state', instance, state }];
};

const leaves = (
  { id }: CloudEvent,
  instance: string,
  notice: NoticeKind,
  more: { readonly goesAt?: EpochMs; readonly action?: LifecycleAction } = {},
): readonly CloudWord[] => (instance === '' ? [] : [{ says: 'leaves', instance, notice, id, ...more }]);

const spotOf = (event: CloudEvent): readonly CloudWord[] => {
  const saidAt = parseTime(event.time);
  const goesAt = saidAt === undefined ? {} : { goesAt: saidAt + SPOT_WARNING_MS };
  return leaves(event, text(event.detail['instance-id']), 'spot', goesAt);
};

const lifecycleOf = (event: CloudEvent): readonly CloudWord[] => {
  const { detail, time } = event;
  if (detail['LifecycleTransition'] !== 'autoscaling:EC2_INSTANCE_TERMINATING') return [];
  const [group, hook] = [text(detail['AutoScalingGroupName']), text(detail['LifecycleHookName'])];
  const action = { group, hook, token: text(detail['LifecycleActionToken']) };
  const saidAt = parseTime(time);
  const goesAt = saidAt === undefined ? {} : { goesAt: saidAt + LIFECYCLE_MS };
  return leaves(event, text(detail['EC2InstanceId']), 'lifecycle', { ...goesAt, action });
};

/** AWS Health writes instants as in e-mails: `Sat, 5 Jun 2027 15:10:09 GMT`. */
const healthInstant = (value: unknown): EpochMs | undefined => {
  const at = Date.parse(text(value));
  return Number.isNaN(at) ? undefined : at;
};

/** All events about one change have the same ARN; each has an id of its own. */
const healthOf = (event: CloudEvent): readonly CloudWord[] => {
  const { detail } = event;
  const isAhead = detail['service'] === 'EC2' && detail['eventTypeCategory'] === 'scheduledChange';
  if (!isAhead) return [];
  const startsAt = healthInstant(detail['startTime']);
  const entities = Array.isArray(detail['affectedEntities']) ? detail['affectedEntities'] : [];
  const id = text(detail['eventArn']) || event.id;
  const begins = startsAt === undefined ? {} : { startsAt };
  const [saidAt, isOver] = [parseTime(event.time) ?? 0, detail['statusCode'] === 'closed'];
  return entities
    .filter(isObject)
    .map(({ entityValue }) => text(entityValue))
    .filter((entity) => entity.startsWith('i-'))
    .map((instance): CloudWord => ({ says: 'scheduled', instance, id, saidAt, ...begins, isOver }));
};

const READERS: Readonly<Record<CloudEventName, (event: CloudEvent) => readonly CloudWord[]>> = {
  state: stateOf,
  spot: spotOf,
  rebalance: (event) => leaves(event, text(event.detail['instance-id']), 'rebalance'),
  lifecycle: lifecycleOf,
  health: healthOf,
};

const NAMES = Object.keys(READERS) as readonly CloudEventName[];

/** What the event says; nothing if it is of another type, or lacks what it should have. */
export const wordsOf = (event: CloudEvent): readonly CloudWord[] => {
  const name = NAMES.find(
    (one) => CLOUD_EVENTS[one].source === event.source && CLOUD_EVENTS[one].type === event['detail-type'],
  );
  return name === undefined ? [] : READERS[name](event);
};
