/**
 * What a bound pod takes of its node, as it is stored: its claim. The counters of a node are the sums of its claims, so that a
 * bind can be conditional on them without a look at any pod.
 */
import type { Node, Pod } from '../../api/core.ts';
import type { EpochMs } from '../../api/time.ts';
import { takesRoom } from './cluster.ts';
import type { HostPort } from './host-ports.ts';
import { ALL_ADDRESSES, hostPortsOf } from './host-ports.ts';
import { podRequests } from './pod-requests.ts';
import type { Resources } from './resources.ts';
import { addResources, NO_RESOURCES, resourcesOf, subtractResources } from './resources.ts';

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

/**
 * Counters of a node by name: `pods`; `r/<resource>`; `p/<protocol>/<port>` for a host port on any address, and
 * `p/<protocol>/<port>/<ip>` for it on one address. An absent counter is 0.
 */
export type Counters = Resources;

/** The condition of a bind that must not exceed what the node has. */
export interface BindCondition {
  /** The node is still the one from which the limits were computed, see `capacityDigest`. */
  readonly digest: string;
  /** The counters before the bind are at most these. */
  readonly atMost: Counters;
}

/** A larger request counts as this much. The sum of a hundred of them is still exact. No node is taken to have as much. */
export const LARGEST_REQUEST = 2 ** 46;

const cappedRequests = (pod: Pod): Resources =>
  new Map(
    [...podRequests(pod)]
      .filter(([, amount]) => amount > 0)
      .map(([name, amount]) => [name, Math.min(amount, LARGEST_REQUEST)]),
  );

const portName = ({ protocol, port }: HostPort): string => `p/${protocol}/${port}`;
const addressName = (port: HostPort, ip = port.ip): string => `${portName(port)}/${ip}`;

const distinctPorts = (pod: Pod): readonly HostPort[] => [
  ...new Map(hostPortsOf(pod).map((port) => [addressName(port), port])).values(),
];

/** The claim of a bound pod. */
export const claimOf = (pod: Pod, now: EpochMs): CapacityClaim => ({
  uid: pod.metadata.uid ?? '',
  namespace: pod.metadata.namespace ?? '',
  name: pod.metadata.name,
  claimedAt: now,
  requests: cappedRequests(pod),
  ports: distinctPorts(pod),
  ended: !takesRoom(pod),
});

const ones = (names: readonly string[]): Counters =>
  names.map((name) => new Map([[name, 1]])).reduce(addResources, NO_RESOURCES);

const countersOf = (claim: CapacityClaim | undefined): Counters => {
  if (!claim || claim.ended) return NO_RESOURCES;
  const resources = [...claim.requests].map(([name, amount]) => [`r/${name}`, amount] as const);
  const ports = claim.ports.flatMap((port) => [portName(port), addressName(port)]);
  return new Map([['pods', 1], ...resources, ...ones(ports)]);
};

/** The counters of a node with these claims. */
export const sumOfClaims = (claims: readonly CapacityClaim[]): Counters =>
  claims.map(countersOf).reduce(addResources, NO_RESOURCES);

/** What a claim adds to its node's counters when it comes, goes or changes. Counters that stay as they are are left out. */
export const counterChange = (
  before: CapacityClaim | undefined,
  after: CapacityClaim | undefined,
): Counters =>
  new Map([...subtractResources(countersOf(after), countersOf(before))].filter(([, amount]) => amount !== 0));

/**
 * What the limits of a node follow from, as text: its uid, whether it is being deleted, and its allocatable resources. Equal texts
 * mean equal limits.
 */
export const capacityDigest = ({ metadata, status }: Node): string => {
  const amounts = [...resourcesOf(status?.allocatable)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([metadata.uid ?? '', metadata.deletionTimestamp === undefined ? 0 : 1, ...amounts]);
};

/** Counters that must be 0 for a host port to be free. */
const blockingPorts = (port: HostPort): readonly string[] =>
  port.ip === ALL_ADDRESSES ? [portName(port)] : [addressName(port), addressName(port, ALL_ADDRESSES)];

/** The condition under which the claim does not exceed what the node has; `undefined` if it would even on an empty node. */
export const bindCondition = (node: Node, claim: CapacityClaim): BindCondition | undefined => {
  const allocatable = resourcesOf(node.status?.allocatable);
  const left = (name: string, wanted: number): number =>
    Math.min(allocatable.get(name) ?? 0, Number.MAX_SAFE_INTEGER) - wanted;
  const requests = [...claim.requests].map(([name, wanted]) => [`r/${name}`, left(name, wanted)] as const);
  const limits: readonly (readonly [string, number])[] = [['pods', left('pods', 1)], ...requests];
  const isTooLarge = [...claim.requests.values()].some((wanted) => wanted >= LARGEST_REQUEST);
  if (isTooLarge || limits.some(([, limit]) => limit < 0)) return undefined;
  const ports = claim.ports.flatMap(blockingPorts).map((name) => [name, 0] as const);
  return { digest: capacityDigest(node), atMost: new Map([...limits, ...ports]) };
};

const sameRequests = (a: Resources, b: Resources): boolean =>
  a.size === b.size && [...a].every(([name, amount]) => b.get(name) === amount);

/** What a write of a pod does to its claim: it is made with the node's name, and changes with the requests of a bound pod. */
export const claimStep = (before: Pod | undefined, after: Pod): 'claim' | 'resize' | undefined => {
  if (!after.spec.nodeName) return undefined;
  if (!before?.spec.nodeName) return 'claim';
  if (!takesRoom(after) || sameRequests(cappedRequests(before), cappedRequests(after))) return undefined;
  return 'resize';
};

/** The claim with the requests that the pod has now; the same one if they are equal, or if the claim has ended. */
export const resizedClaim = (claim: CapacityClaim, pod: Pod): CapacityClaim => {
  const requests = cappedRequests(pod);
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
