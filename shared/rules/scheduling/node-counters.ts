/** The counters of a node: the sums of its claims. A bind is conditional on them, so that it never exceeds what the node has. */
import type { Node } from '../../kube/types/core.ts';
import type { CapacityClaim } from './cluster/capacity-claim.ts';
import { LARGEST_REQUEST } from './cluster/capacity-claim.ts';
import type { HostPort } from './pods/host-ports.ts';
import { ALL_ADDRESSES } from './pods/host-ports.ts';
import type { Resources } from './pods/resources.ts';
import { addResources, NO_RESOURCES, resourcesOf, subtractResources } from './pods/resources.ts';

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

/** A claim that comes (there was none before), goes (there is none after) or changes. */
export interface ClaimChange {
  readonly read: CapacityClaim | undefined;
  readonly next: CapacityClaim | undefined;
}

/** A bind with more limits has no condition: DynamoDB's expressions may have 4 KB. */
const MOST_LIMITS = 64;

const portName = ({ protocol, port }: HostPort): string => `p/${protocol}/${port}`;
const addressName = (port: HostPort, ip = port.ip): string => `${portName(port)}/${ip}`;

const countersOf = ({ ended, requests, ports }: CapacityClaim): Counters => {
  if (ended) return NO_RESOURCES;
  const resources = [...requests].map(([name, amount]) => [`r/${name}`, amount] as const);
  const names = ports.flatMap((port) => [portName(port), addressName(port)]);
  const counted = names.map((name) => new Map([[name, 1]])).reduce(addResources, NO_RESOURCES);
  return new Map([['pods', 1], ...resources, ...counted]);
};

/** The counters of a node with these claims. */
export const sumOfClaims = (claims: readonly CapacityClaim[]): Counters =>
  claims.map(countersOf).reduce(addResources, NO_RESOURCES);

/** What changes of claims add to their node's counters. Counters that stay as they are are left out. */
export const changeOfClaims = (changes: readonly ClaimChange[]): Counters => {
  const before = sumOfClaims(changes.flatMap(({ read }) => read ?? []));
  const after = sumOfClaims(changes.flatMap(({ next }) => next ?? []));
  return new Map([...subtractResources(after, before)].filter(([, amount]) => amount !== 0));
};

/**
 * What the limits of a node follow from, as text: its uid, whether it is being deleted, and its allocatable resources. Equal texts
 * mean equal limits.
 */
export const capacityDigest = ({ metadata, status }: Node): string => {
  const amounts = [...resourcesOf(status?.allocatable)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([metadata.uid ?? '', metadata.deletionTimestamp === undefined ? 0 : 1, ...amounts]);
};

/** What is stored of a node besides its claims. */
export interface StoredCounters {
  readonly counters: Counters;
  /** See `capacityDigest`. */
  readonly digest?: string;
}

/**
 * What should be stored of a node with these claims; `undefined`: nothing. Without a Node of this name there is no digest. The digest
 * of a Node is taken as it is.
 */
export const rightCounters = (
  { digest }: StoredCounters,
  claims: readonly CapacityClaim[],
  hasNode: boolean,
): StoredCounters | undefined => {
  if (!hasNode && claims.length === 0) return undefined;
  return { counters: sumOfClaims(claims), ...(hasNode && digest !== undefined ? { digest } : {}) };
};

/** How far the right counters differ from those that are stored, by name; without those that are equal. */
export const countersOff = (stored: StoredCounters, right: StoredCounters | undefined): Counters =>
  new Map(
    [...subtractResources(right?.counters ?? NO_RESOURCES, stored.counters)].filter(
      ([, amount]) => amount !== 0,
    ),
  );

/** The counters without those of free host ports; the same ones if there are none. A node might see any number of ports. */
export const withoutFreePorts = (counters: Counters): Counters => {
  const kept = [...counters].filter(([name, amount]) => amount !== 0 || !name.startsWith('p/'));
  return kept.length === counters.size ? counters : new Map(kept);
};

/** Counters that must be 0 for a host port to be free. */
const blockingPorts = (port: HostPort): readonly string[] =>
  port.ip === ALL_ADDRESSES ? [portName(port)] : [addressName(port), addressName(port, ALL_ADDRESSES)];

const limitsOf = (node: Node, { requests }: CapacityClaim): readonly (readonly [string, number])[] => {
  const allocatable = resourcesOf(node.status?.allocatable);
  const left = (name: string, wanted: number): number =>
    Math.min(allocatable.get(name) ?? 0, Number.MAX_SAFE_INTEGER) - wanted;
  return [
    ['pods', left('pods', 1)],
    ...[...requests].map(([name, wanted]) => [`r/${name}`, left(name, wanted)] as const),
  ];
};

/** The condition under which the claim does not exceed what the node has; `undefined` if it would even on an empty node. */
export const bindCondition = (node: Node, claim: CapacityClaim): BindCondition | undefined => {
  const limits = limitsOf(node, claim);
  const ports = claim.ports.flatMap(blockingPorts).map((name) => [name, 0] as const);
  const atMost = new Map([...limits, ...ports]);
  const isTooLarge = [...claim.requests.values()].some((wanted) => wanted >= LARGEST_REQUEST);
  if (isTooLarge || atMost.size > MOST_LIMITS || limits.some(([, limit]) => limit < 0)) return undefined;
  return { digest: capacityDigest(node), atMost };
};
