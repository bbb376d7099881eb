/** Which containers have something for themselves. */
import type { AgentPod } from '../rules/containers/agent-pod.ts';
import { containersInOrder } from '../rules/pod-actions/containers-in-time.ts';

/** What was kept does not fit this machine or configuration; the message has the remedy. */
export class ResourceFault extends Error {
  override readonly name = 'ResourceFault';
}

export interface Owner {
  readonly podUid: string;
  readonly container: string;
}

/** Names of the containers that may have something, by uid of the pod. */
export type Owned = ReadonlyMap<string, ReadonlySet<string>>;

export const ownedBy = (pods: readonly AgentPod[]): Owned =>
  new Map(
    pods.map((pod) => [pod.metadata.uid ?? '', new Set(containersInOrder(pod).map(({ name }) => name))]),
  );

export const ownersOf = (assignments: Readonly<Record<string, object>>): readonly Owner[] =>
  Object.entries(assignments).flatMap(([podUid, containers]) =>
    Object.keys(containers).map((container) => ({ podUid, container })),
  );

export const staleOf = (owners: readonly Owner[], owned: Owned): readonly Owner[] =>
  owners.filter(({ podUid, container }) => owned.get(podUid)?.has(container) !== true);
