/** What a bound pod takes of its node, as it is stored: its claim. Claims make it needless to read pods when room is counted. */
import type { Pod } from '../../../kube/types/core.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import type { HostPort } from '../pods/host-ports.ts';
import { hostPortsOf } from '../pods/host-ports.ts';
import { podRequests } from '../pods/pod-requests.ts';
import type { Resources } from '../pods/resources.ts';
import { takesRoom } from './cluster.ts';

/** The stored claim of one pod. It stays until the pod's row is gone. */
export interface CapacityClaim {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** When the claim was made, by our clock (ms). */
  readonly claimedAt: EpochMs;
  /** Only amounts above 0, at most `LARGEST_REQUEST`. */
  readonly requests: Resources;
  readonly ports: readonly HostPort[];
  /** The pod has ended. Its claim counts nothing, but is still there. */
  readonly ended: boolean;
}

/** A larger request counts as this much. The sum of a hundred of them is still exact. No node is taken to have as much. */
export const LARGEST_REQUEST = 2 ** 46;

/** The most resources, and the most host ports, that a claim counts: DynamoDB's expressions may have 4 KB. */
const MOST_COUNTED = 64;

const countedRequests = (pod: Pod): Resources =>
  new Map(
    [...podRequests(pod)]
      .filter(([, amount]) => amount > 0)
      .slice(0, MOST_COUNTED)
      .map(([name, amount]) => [name, Math.min(amount, LARGEST_REQUEST)]),
  );

const countedPorts = (pod: Pod): readonly HostPort[] => {
  const byText = new Map(hostPortsOf(pod).map((port) => [JSON.stringify(port), port]));
  return [...byText.values()].slice(0, MOST_COUNTED);
};

/** The claim of a bound pod. */
export const claimOf = (pod: Pod, now: EpochMs): CapacityClaim => ({
  uid: pod.metadata.uid ?? '',
  namespace: pod.metadata.namespace ?? '',
  name: pod.metadata.name,
  claimedAt: now,
  requests: countedRequests(pod),
  ports: countedPorts(pod),
  ended: !takesRoom(pod),
});

const sameRequests = (a: Resources, b: Resources): boolean =>
  a.size === b.size && [...a].every(([name, amount]) => b.get(name) === amount);

/** What a write of a pod does to its claim: it is made with the node's name, and changes with the requests of a bound pod. */
export const claimStep = (before: Pod | undefined, after: Pod): 'claim' | 'resize' | undefined => {
  if (!after.spec.nodeName) return undefined;
  if (!before?.spec.nodeName) return 'claim';
  if (!takesRoom(after) || sameRequests(countedRequests(before), countedRequests(after))) return undefined;
  return 'resize';
};

/** The claim with the requests that the pod has now; the same one if they are equal, or if the claim has ended. */
export const resizedClaim = (claim: CapacityClaim, pod: Pod): CapacityClaim => {
  const requests = countedRequests(pod);
  return claim.ended || sameRequests(claim.requests, requests) ? claim : { ...claim, requests };
};

/**
 * The claim when its pod is looked at to release room: the same one while the pod takes room, ended if the pod has ended,
 * `undefined` if the pod is gone. `pod` is the stored pod with the claim's uid; its node does not matter, as a reader may see
 * one half of the bind.
 */
export const releasedClaim = (claim: CapacityClaim, pod: Pod | undefined): CapacityClaim | undefined => {
  if (!pod) return undefined;
  return takesRoom(pod) || claim.ended ? claim : { ...claim, ended: true };
};

/**
 * The claim that a bound pod should have. The same one if it is right, or if the pod has ended: then nothing is claimed anew.
 * `read` is the stored claim, `undefined` for a pod that was bound before claims were kept.
 */
export const repairedClaim = (
  read: CapacityClaim | undefined,
  pod: Pod,
  now: EpochMs,
): CapacityClaim | undefined => {
  if (!takesRoom(pod)) return read;
  const wanted = claimOf(pod, read?.claimedAt ?? now);
  const isRight = read && !read.ended && sameRequests(read.requests, wanted.requests);
  return isRight ? read : wanted;
};
