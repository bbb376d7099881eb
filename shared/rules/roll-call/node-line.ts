/** What a roll call shows of one node, apart from what only the passing of time changes. */

import { printable } from '../../kube/text/printable.ts';
import type { Node, Pod } from '../../kube/types/core.ts';
import { controllerOf } from '../../kube/values/controller-of.ts';
import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { taintsOf } from '../nodes/taints.ts';
import { isActive, isLeaving } from '../workloads/children/pod-state.ts';
import { zoneKeyOf, zoneNameOf } from '../zones/zone-names.ts';
import { type DrainLine, drainLineOf } from './drain-line.ts';
import { type NodeState, nodeStateOf } from './node-state.ts';
import { type PodDeadlines, type PodEviction, podEvictions } from './pod-evictions.ts';
import { taintName } from './taint-name.ts';

/** A node of a roll call. Its texts have no control characters. */
export interface NodeLine extends NodeState {
  /** Name of the zone by its labels. */
  readonly zone: string;
  readonly name: string;
  /** When the last beat came; absent: no beat has come. */
  readonly beatAt?: EpochMs;
  /** The pass that finds it silent, if nothing more is heard of it; infinite: its zone paces that; absent: the view does not ask the monitor's rule. */
  readonly unknownAt?: EpochMs;
  /** Key without prefix, and effect, such as `unreachable:NoSchedule`. */
  readonly taints: readonly string[];
  /** Number of pods that have not ended and are not leaving. */
  readonly pods: number;
  /** Names of pods that are being deleted, or end with their node. */
  readonly leaving: readonly string[];
  /** Those of them whose StatefulSet makes no successor before they are gone for sure. */
  readonly held: readonly string[];
  /** Pods that leave because of taints, the soonest first. */
  readonly evictions: readonly PodEviction[];
  /** Its drain, while it is not empty; absent: it has no request to drain. */
  readonly drain?: DrainLine;
}

/** What is known of a node besides its object. */
export interface NodeNews {
  /** When its last beat came. */
  readonly beatAt?: EpochMs | undefined;
  /** As `NodeLine`. */
  readonly unknownAt?: EpochMs | undefined;
  /** The stored deadlines of pods; without them they are computed from the taints. */
  readonly deadlines?: PodDeadlines;
}

const namesOf = (pods: readonly Pod[]): readonly string[] =>
  pods.map(({ metadata }) => printable(metadata.name));

/** The line of a node with the pods that are bound to it, at `now` (ms). */
export const nodeLineOf = (node: Node, pods: readonly Pod[], news: NodeNews, now: EpochMs): NodeLine => {
  const leaving = pods.filter(isLeaving);
  return {
    ...nodeStateOf(node),
    zone: printable(zoneNameOf(zoneKeyOf(node.metadata.labels))),
    name: printable(node.metadata.name),
    ...optional('beatAt', news.beatAt),
    ...optional('unknownAt', news.unknownAt),
    taints: taintsOf(node).map(({ key, effect }) => printable(`${taintName(key)}:${effect}`)),
    pods: pods.filter(isActive).length,
    leaving: namesOf(leaving),
    held: namesOf(leaving.filter((pod) => controllerOf(pod)?.kind === 'StatefulSet')),
    evictions: podEvictions(pods, node, news.deadlines, now),
    ...optional('drain', drainLineOf(node)),
  };
};
