/** Sends Events, one after the other, and counts those that are repeated. Source: client-go v1.34 tools/record. */
import type { Event, Pod } from '../../../shared/kube/types/core.ts';
import type { ObjectReference } from '../../../shared/kube/types/meta.ts';
import { toTime } from '../../../shared/kube/values/time.ts';
import type { PodEvent, PodEvents } from '../../ports/api/pod-events.ts';
import type { Clock } from '../../ports/machine/clock.ts';
import type { EvictionEvents } from '../../ports/machine/eviction.ts';
import type { Log } from '../../ports/machine/shutdown.ts';
import type { EvictionEvent } from '../../rules/eviction/evicted-pod.ts';
import type { NodeEvent } from '../../rules/node/reported-status.ts';
import {
  afterWrite,
  type Correlator,
  EMPTY_CORRELATOR,
  type EventKey,
  nextStep,
} from '../../rules/pods/correlator.ts';
import { createWaker } from '../../waker.ts';
import { ApiRefusal, type ApiSession, bodyOf } from './session.ts';

export interface EventRecorderDeps {
  readonly session: Pick<ApiSession, 'request'>;
  readonly nodeName: string;
  readonly clock: Clock;
  readonly log: Log;
}

export interface EventRecorder extends PodEvents, EvictionEvents {
  ofNode(event: NodeEvent): void;
  /** Sends until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** Events that wait; the next ones are lost. */
const MOST_WAITING = 1000;
const TRIES = 12;
const RETRY_MS = 10_000;
const COMPONENT = 'kubelet';

interface Occurrence {
  readonly about: ObjectReference;
  readonly event: NodeEvent & Pick<EvictionEvent, 'annotations'>;
  /** Wall time. */
  readonly at: number;
}

const containerPath = ({ spec }: Pod, container: string): string => {
  const lists = ['containers', 'initContainers', 'ephemeralContainers'] as const;
  const found = lists.find((list) => {
    const containers = spec[list] as readonly { readonly name: string }[] | undefined;
    return containers?.some(({ name }) => name === container);
  });
  return `spec.${found ?? 'containers'}{${container}}`;
};

const podReference = (pod: Pod, container?: string): ObjectReference => ({
  kind: 'Pod',
  apiVersion: 'v1',
  namespace: pod.metadata.namespace ?? 'default',
  name: pod.metadata.name,
  uid: pod.metadata.uid ?? '',
  ...(container === undefined ? {} : { fieldPath: containerPath(pod, container) }),
});

const namespaceOf = ({ namespace = '' }: ObjectReference): string => namespace || 'default';

const keyOf = ({ about, event: { type, reason, message } }: Occurrence): EventKey => {
  const { kind = '', namespace = '', name = '', uid = '', fieldPath = '' } = about;
  return { kind, namespace, name, uid, fieldPath, type, reason, message };
};

const eventOf = ({ about, event, at }: Occurrence, name: string, host: string): Event => {
  const { annotations, type, reason, message } = event;
  const time = toTime(at);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name,
      namespace: namespaceOf(about),
      ...(annotations && { annotations: { ...annotations } }),
    },
    involvedObject: about,
    type,
    reason,
    message,
    count: 1,
    firstTimestamp: time,
    lastTimestamp: time,
    source: { component: COMPONENT, host },
    reportingComponent: COMPONENT,
    reportingInstance: host,
  };
};

/** Names differ in time, and in the number of the event in this process. */
const nameOf = ({ about, at }: Occurrence, index: number): string =>
  `${about.name ?? ''}.${(BigInt(at) * 1_000_000n + BigInt(index % 1_000_000)).toString(16)}`;

interface State {
  correlator: Correlator;
  created: number;
}

const pathOf = ({ about }: Occurrence): string => `/api/v1/namespaces/${namespaceOf(about)}/events`;

const create = async (one: Occurrence, state: State, { session, nodeName }: EventRecorderDeps) => {
  state.created += 1;
  const name = nameOf(one, state.created);
  bodyOf(await session.request('POST', pathOf(one), { body: eventOf(one, name, nodeName) }));
  state.correlator = afterWrite(state.correlator, keyOf(one), { name, count: 1 });
};

/** `false`: the Event has expired. */
const count = async (
  one: Occurrence,
  written: { readonly name: string; readonly count: number },
  state: State,
  { session }: EventRecorderDeps,
): Promise<boolean> => {
  const body = { count: written.count, lastTimestamp: toTime(one.at) };
  const path = `${pathOf(one)}/${written.name}`;
  const answer = await session.request('PATCH', path, { body, isStrategic: true });
  if (answer.status === 404) return false;
  bodyOf(answer);
  state.correlator = afterWrite(state.correlator, keyOf(one), written);
  return true;
};

/** What the API refuses is lost; what it does not answer is tried again. */
const send = async (one: Occurrence, state: State, deps: EventRecorderDeps, signal: AbortSignal) => {
  const { state: next, todo } = nextStep(state.correlator, keyOf(one), deps.clock.uptime());
  state.correlator = next;
  if (todo.step === 'drop') return;
  for (let tries = 1; tries <= TRIES && !signal.aborted; tries += 1)
    try {
      if (todo.step === 'count' && (await count(one, todo, state, deps))) return;
      return await create(one, state, deps);
    } catch (error) {
      deps.log(`the Event ${one.event.reason} could not be sent`, error);
      if (error instanceof ApiRefusal) return;
      await deps.clock.sleep(RETRY_MS);
    }
};

export const createEventRecorder = (deps: EventRecorderDeps): EventRecorder => {
  const waker = createWaker(deps.clock);
  const waiting: Occurrence[] = [];
  const state: State = { correlator: EMPTY_CORRELATOR, created: 0 };
  const record = (about: ObjectReference, event: Occurrence['event']): void => {
    if (waiting.length >= MOST_WAITING) return;
    waiting.push({ about, event, at: deps.clock.now() });
    waker.wake();
  };
  // As kubelets refer to their Nodes: without a version, and with the name as the uid.
  const node: ObjectReference = { kind: 'Node', name: deps.nodeName, uid: deps.nodeName };
  return {
    ofNode: (event) => record(node, event),
    ofPod: (pod, event) => record(podReference(pod), event),
    record: (pod, { container, ...event }: PodEvent) => record(podReference(pod, container), event),
    run: async (signal) => {
      signal.addEventListener('abort', waker.wake, { once: true });
      while (!signal.aborted) {
        for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift())
          await send(next, state, deps, signal);
        if (!signal.aborted) await waker.wait(RETRY_MS);
      }
    },
  };
};
