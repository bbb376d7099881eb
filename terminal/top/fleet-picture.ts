/** The fleet as watches show it: nodes with their pods, last renewals of Leases, zones. A roll call is made of it when it is drawn. */

import { createLeaseHearing, type Hearing } from '../../dashboard/server/live/silence.ts';
import { printable } from '../../shared/kube/text/printable.ts';
import type { Lease } from '../../shared/kube/types/coordination.ts';
import type { Node, Pod } from '../../shared/kube/types/core.ts';
import type { ApiObject } from '../../shared/kube/types/meta.ts';
import { NODE_LEASE_NAMESPACE } from '../../shared/kube/types/well-known.ts';
import { type EpochMs, parseTime } from '../../shared/kube/values/time.ts';
import { type Monitoring, monitoringOf } from '../../shared/rules/roll-call/next-steps.ts';
import { type NodeLine, nodeLineOf } from '../../shared/rules/roll-call/node-line.ts';
import { isLate } from '../../shared/rules/roll-call/node-marks.ts';
import { byZoneAndName, type RollCall, type WaitingPod } from '../../shared/rules/roll-call/roll-call.ts';
import { type SeenZone, seenZone, zoneLines } from '../../shared/rules/roll-call/zone-lines.ts';
import { zoneKeyOf } from '../../shared/rules/zones/zone-names.ts';
import { NODE_LIFECYCLE_DEFAULTS } from '../../shared/settings/node-lifecycle.ts';
import { collection, keyOf } from './collection.ts';

interface Beat {
  readonly at: EpochMs;
  readonly graceMs: number;
}

/** The version of a Lease is the instant at which the control plane received its last renewal (ms). Elsewhere only `renewTime` says it. */
const beatOf = ({ metadata, spec }: Lease): Beat => {
  const version = Number(metadata.resourceVersion);
  const renewedAt = parseTime(spec?.renewTime ?? '') ?? 0;
  const isInstant = Math.abs(version - renewedAt) < 24 * 3_600_000;
  return { at: isInstant ? version : renewedAt, graceMs: 1000 * (spec?.leaseDurationSeconds ?? 0) };
};

const reasonOf = ({ status }: Pod): string =>
  status?.conditions?.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False')?.message ??
  '';

/** Pods that wait, of which the roll call tells. */
const MOST_WAITING = 100;

const waitingIn = (unbound: Iterable<Pod>): readonly WaitingPod[] =>
  [...unbound]
    .filter((pod) => reasonOf(pod) !== '')
    .slice(0, MOST_WAITING)
    .map((pod) => ({ name: printable(pod.metadata.name), reason: printable(reasonOf(pod)) }));

/** The settings of the monitor, by what kubelets say in their Leases: a Lease is valid for a grace period. */
const monitoringBy = (beats: Iterable<Beat>): Monitoring => {
  const longest = [...beats].reduce((most, { graceMs }) => Math.max(most, graceMs), 0);
  return monitoringOf(longest || NODE_LIFECYCLE_DEFAULTS.nodeMonitorGracePeriodMs);
};

/** Pods by the node to which they are bound; those without one are at ''. `onChange` gets the node whose pods change. */
const podsByNode = (onChange: (node: string) => void) => {
  const byNode = new Map<string, Map<string, Pod>>();
  const placeOf = ({ spec: { nodeName = '' } }: Pod): Map<string, Pod> => {
    onChange(nodeName);
    const there = byNode.get(nodeName) ?? new Map<string, Pod>();
    byNode.set(nodeName, there);
    return there;
  };
  const { known } = collection(
    (object) => object as Pod,
    (before, after) => {
      if (before) placeOf(before).delete(keyOf(before));
      if (after) placeOf(after).set(keyOf(after), after);
    },
  );
  return { known, at: (node: string): readonly Pod[] => [...(byNode.get(node)?.values() ?? [])] };
};

/** `undefined`: there is no such node. */
const zoneOf = (node: Node | undefined): string | undefined => node && zoneKeyOf(node.metadata.labels);

/** Nodes as lines in order. A line is made again only if its node or the node's pods have changed. */
const nodesInOrder = (podsAt: (node: string) => readonly Pod[]) => {
  const lines = new Map<string, NodeLine>();
  let order: readonly string[] | undefined;
  const { all, known } = collection(
    (object) => object as Node,
    (before, after) => {
      lines.delete(before?.metadata.name ?? after?.metadata.name ?? '');
      if (zoneOf(before) !== zoneOf(after)) order = undefined;
    },
  );
  const lineOf = (node: Node, now: EpochMs): NodeLine => {
    const { name } = node.metadata;
    const line = lines.get(name) ?? nodeLineOf(node, podsAt(name), {}, now);
    lines.set(name, line);
    return line;
  };
  const sorted = (now: EpochMs): readonly string[] =>
    [...all.values()]
      .map((node) => ({ node, line: lineOf(node, now) }))
      .toSorted((a, b) => byZoneAndName(a.line, b.line))
      .map(({ node }) => keyOf(node));
  return {
    known,
    all,
    forget: (name: string): void => void lines.delete(name),
    read: (now: EpochMs): readonly NodeLine[] => {
      order ??= sorted(now);
      return order.flatMap((key) => {
        const node = all.get(key);
        return node ? [lineOf(node, now)] : [];
      });
    },
  };
};

/** A source that is always heard. */
const ALWAYS_HEARD: Hearing = { asOf: () => Number.POSITIVE_INFINITY, silence: () => undefined };

/** Keeps the picture, of what its source tells. */
export const createFleetPicture = (source: Hearing = ALWAYS_HEARD) => {
  const hearing = createLeaseHearing(source);
  const pods = podsByNode((name) => nodes.forget(name));
  const nodes = nodesInOrder(pods.at);
  const leases = collection(
    (object) => beatOf(object as Lease),
    () => undefined,
  );
  const zones = collection<SeenZone>(
    (object) => seenZone(object),
    () => undefined,
  );

  const heard = (line: NodeLine, now: EpochMs): NodeLine => {
    const beat = leases.all.get(`${NODE_LEASE_NAMESPACE}/${line.name}`);
    return beat && hearing.shows(beat.at) ? { ...line, beatAt: Math.min(beat.at, now) } : line;
  };
  const monitoring = (): Monitoring => monitoringBy(leases.all.values());
  const hear = (object: ApiObject): void => {
    hearing.heard();
    leases.known.put(object);
  };
  const endLeases = (): void => {
    leases.known.end();
    hearing.whole([...leases.all.values()].map(({ at }) => at));
  };

  return {
    nodes: nodes.known,
    pods: pods.known,
    leases: { ...leases.known, put: hear, end: endLeases },
    zones: zones.known,
    /** The Node of that name as it came. */
    node: (name: string): Node | undefined => nodes.all.get(`/${name}`),
    podsAt: pods.at,
    /** The whole, at `now` (ms). `isDoubtful`: some node may be late, so that Leases have to be read again. */
    read: (now: EpochMs, grace: Monitoring = monitoring()): RollCall & { readonly isDoubtful: boolean } => {
      const knownUntil = hearing.knownUntil(grace.nodeMonitorGracePeriodMs, now);
      let isDoubtful = false;
      const all = nodes.read(now).map((line) => {
        const told = heard(line, now);
        if (knownUntil === now || !isLate(told, now, grace)) return told;
        isDoubtful = true;
        return isLate(told, knownUntil, grace) ? told : line;
      });
      return {
        now,
        isDoubtful,
        nodes: all,
        zones: zoneLines(all, [...zones.all.values()]),
        quietUntil: 0,
        work: [],
        waitingPods: waitingIn(pods.at('')),
      };
    },
    monitoring,
  };
};

/** The picture of a fleet. */
export type FleetPicture = ReturnType<typeof createFleetPicture>;
