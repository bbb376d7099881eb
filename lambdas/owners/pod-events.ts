/** Events about the pods that a controller creates and deletes. */

import type { EventRecorder } from '../../shared/ports/process/event-recorder.ts';
import {
  type ChildEvent,
  createdPod,
  deletedPod,
  failedToCreate,
} from '../../shared/rules/workloads/children/child-events.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import { AT_ONCE, type ControllerAccount } from './children.ts';
import type { OwnerRow } from './claims.ts';
import type { Made, PodName } from './owned-pods.ts';

/** The most Events of one look. Kubernetes' recorder drops those of one object after 25, too. */
const MOST_EVENTS = 25;

const eventsOfMade = (one: Made): readonly (readonly [ChildEvent, string])[] => {
  if ('error' in one) return [[failedToCreate(one.error.message), one.error.message]];
  return one.pod ? [[createdPod(one.pod.metadata.name), one.pod.metadata.uid ?? '']] : [];
};

const eventsOf = (
  made: readonly Made[],
  gone: readonly PodName[],
): readonly (readonly [ChildEvent, string])[] => [
  ...made.flatMap(eventsOfMade),
  ...gone.map(({ key, uid }) => [deletedPod(key.name), uid] as const),
];

/** Records Events about an owner, each with what tells one occasion of the same text from another. */
export const recordEvents = async (
  recorder: EventRecorder,
  { owner, row: { key, uid } }: OwnerRow,
  account: ControllerAccount,
  events: readonly (readonly [ChildEvent, string])[],
): Promise<void> => {
  const { apiVersion, kind } = owner;
  const target = { kind, apiVersion, namespace: key.namespace, name: key.name, uid };
  await inParallel(events.slice(0, MOST_EVENTS), AT_ONCE, ([event, occasion]) =>
    recorder.record(target, { ...event, component: account }, occasion),
  );
};

/** Records what became of the pods of an owner: created, refused, deleted. */
export const recordPodEvents = (
  recorder: EventRecorder,
  owner: OwnerRow,
  account: ControllerAccount,
  made: readonly Made[],
  gone: readonly PodName[],
): Promise<void> => recordEvents(recorder, owner, account, eventsOf(made, gone));
