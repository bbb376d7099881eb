/** What follows if somebody acts on a node now: in sentences, and pod by pod. By the rules of the controllers, from objects of the API alone. */
import type { Node } from '../../kube/types/core.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { drainRequestOf } from '../drain/node-drain.ts';
import { drainSentences, drainWarnings, refusedByOptions } from './drain-sentences.ts';
import { fatesByDrain, type NodeWithPods } from './fates-by-drain.ts';
import { fatesByTaints } from './fates-by-taints.ts';
import { type NodeAction, nodeAfter } from './node-action.ts';
import type { PodFate } from './pod-fate.ts';
import { type Heard, refusalsOf } from './refusals.ts';
import { cordonSentences, outOfServiceSentences, taintSentences, uncordonSentences } from './sentences.ts';
import { untaintSentences } from './untaint-sentences.ts';

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
