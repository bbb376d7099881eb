/** What follows if somebody acts on a node now: in sentences, and pod by pod. By the rules of the controllers, from objects of the API alone. */
import type { Node, Pod } from '../../kube/types/core.ts';
import { TAINT_OUT_OF_SERVICE } from '../../kube/types/well-known.ts';
import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { drainRequestOf } from '../drain/node-drain.ts';
import { isOutOfService } from '../nodes/out-of-service.ts';
import { noExecuteTaints, type TaintId, taintsOf } from '../nodes/taints.ts';
import { isFinished } from '../pods/deletion.ts';
import { type PodEviction, podEvictions } from '../roll-call/pod-evictions.ts';
import { taintName } from '../roll-call/taint-name.ts';
import { isLeaving } from '../workloads/children/pod-state.ts';
import { namedText } from './counted.ts';
import { drainSentences, drainWarnings, refusedByOptions } from './drain-sentences.ts';
import { fatesByDrain, type NodeWithPods } from './fates-by-drain.ts';
import { type NodeAction, nodeAfter } from './node-action.ts';
import { afterIt, because, fateOf, type PodFate } from './pod-fate.ts';
import { podPath } from './pod-path.ts';
import { type Heard, refusalsOf } from './refusals.ts';
import {
  cordonSentences,
  keepersOf,
  outOfServiceSentences,
  taintSentences,
  uncordonSentences,
} from './sentences.ts';

/** A node as it was read, with what decides about what follows. */
export interface KnownNode extends NodeWithPods, Heard {}

/** What follows. */
export interface WhatFollows {
  readonly sentences: readonly string[];
  /** What a person has to know before. */
  readonly warnings: readonly string[];
  /** Why the action is not offered; none: it is. */
  readonly refusals: readonly string[];
  readonly pods: readonly PodFate[];
}

type Told = Omit<WhatFollows, 'refusals'> & { readonly refusals?: readonly string[] };

const drained = (known: KnownNode, after: Node, now: EpochMs): Told => {
  const request = drainRequestOf(after);
  if (!request) return { sentences: [], warnings: [], pods: [] };
  const pods = fatesByDrain(known, request, now);
  const refusals = refusedByOptions(known, request, now);
  // The API refuses the whole of it: nothing follows, and the pods show which options are missing.
  if (refusals.length > 0) return { sentences: [], warnings: [], refusals, pods };
  return {
    sentences: drainSentences(known.node, request, pods, now),
    warnings: drainWarnings(known, request, pods, now),
    pods,
  };
};

const cordoned = (known: KnownNode, after: Node, now: EpochMs): Told => {
  const begun = drained(known, after, now);
  const asked = drainRequestOf(after) !== undefined;
  const own = cordonSentences(known, asked, now);
  return { ...begun, refusals: [], sentences: [...own, ...begun.sentences] };
};

const staysText = (node: Node): string => {
  const names = noExecuteTaints(taintsOf(node)).map(({ key }) => taintName(key));
  return names.length === 0 ? 'no taint of its node evicts pods' : `tolerates ${names.join(' and ')}`;
};

/** A pod that is being deleted waits for the word of its node, unless that is out of service (K-74); finalizers hold it even then (K-80). */
const leavingFate = (pod: Pod, node: Node): PodFate => {
  const { finalizers = [] } = pod.metadata;
  if (!isOutOfService(node)) return fateOf(pod, 'ending', 'it is being deleted');
  return finalizers.length > 0
    ? fateOf(pod, 'held', `its finalizers hold it: ${finalizers.join(', ')}`)
    : fateOf(pod, 'goes', 'it is being deleted, and its node is not waited for any more');
};

const evictedFate = (pod: Pod, node: Node, { fireAt, reason }: PodEviction, now: EpochMs): PodFate => {
  const isGoing = fireAt <= now;
  const fate = fateOf(pod, isGoing ? 'goes' : 'later', because(reason, afterIt(pod, isOutOfService(node))));
  return { ...fate, ...optional('at', isGoing ? undefined : fireAt) };
};

/** The fate of each pod that has not ended, at `now` (ms), on a node that has just got these taints. */
export const fatesByTaints = (node: Node, pods: readonly Pod[], now: EpochMs): readonly PodFate[] => {
  const evictions = new Map(podEvictions(pods, node, undefined, now).map((one) => [podPath(one), one]));
  return pods
    .filter((pod) => !isFinished(pod))
    .map((pod) => {
      if (isLeaving(pod)) return leavingFate(pod, node);
      const eviction = evictions.get(podPath(pod.metadata));
      return eviction ? evictedFate(pod, node, eviction, now) : fateOf(pod, 'stays', staysText(node));
    });
};

/** A taint that goes. Pods that would have left because of it stay. */
const untaintSentences = (
  { node, pods }: NodeWithPods,
  after: Node,
  { key }: TaintId,
  now: EpochMs,
): readonly string[] => {
  const still = new Set(podEvictions(pods, after, undefined, now).map(podPath));
  const saved = podEvictions(pods, node, undefined, now)
    .map(podPath)
    .filter((name) => !still.has(name));
  const keepers = keepersOf(after);
  return [
    keepers.length === 0
      ? 'New pods may be placed on it again.'
      : `Other taints still keep new pods away: ${namedText(keepers)}.`,
    ...(saved.length === 0 ? [] : [`Pods that would have left because of it stay: ${namedText(saved)}.`]),
    ...(key === TAINT_OUT_OF_SERVICE
      ? ['From now on the word of the node is waited for again, before pods and volumes leave it.']
      : []),
    'What has gone because of it does not come back by itself.',
  ];
};

const told = (known: KnownNode, action: NodeAction, now: EpochMs): Told => {
  const after = nodeAfter(known.node, action, now);
  const { pods } = known;
  switch (action.kind) {
    case 'cordon':
      return cordoned(known, after, now);
    case 'uncordon':
      return { sentences: uncordonSentences(known.node, after), warnings: [], pods: [] };
    case 'drain':
      return drained(known, after, now);
    case 'taint': {
      const fates = action.taint.effect === 'NoExecute' ? fatesByTaints(after, pods, now) : [];
      return { ...taintSentences(known, action.taint, fates), pods: fates };
    }
    case 'untaint':
      return { sentences: untaintSentences(known, after, action.taint, now), warnings: [], pods: [] };
    case 'outOfService': {
      const fates = fatesByTaints(after, pods, now);
      return { ...outOfServiceSentences(known, fates), pods: fates };
    }
  }
};

/** Tells what follows from the action at `now` (ms). Nothing is told of one that is not offered. */
export const whatFollows = (known: KnownNode, action: NodeAction, now: EpochMs): WhatFollows => {
  const refusals = refusalsOf(known.node, action, known, now);
  if (refusals.length > 0) return { sentences: [], warnings: [], refusals, pods: [] };
  return { refusals: [], ...told(known, action, now) };
};
