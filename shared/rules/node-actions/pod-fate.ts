/** What becomes of a pod when somebody acts on its node. */

import { printable } from '../../kube/text/printable.ts';
import type { Pod } from '../../kube/types/core.ts';
import { controllerOf } from '../../kube/values/controller-of.ts';
import type { EpochMs } from '../../kube/values/time.ts';

/**
 * `goes`: at once. `later`: at an instant. `inTurn`: as its budget lets it. `held`: something that has to change first holds it. `ending`: it goes
 * anyway. `stays`: nothing happens to it.
 */
export type Fate = 'goes' | 'later' | 'inTurn' | 'held' | 'ending' | 'stays';

/** A pod and its fate. Texts have no control characters. */
export interface PodFate {
  readonly namespace: string;
  readonly name: string;
  readonly fate: Fate;
  /** When it goes, for `later`. */
  readonly at?: EpochMs;
  readonly why: string;
}

/** A fate of this pod. */
export const fateOf = (pod: Pod, fate: Fate, why: string): PodFate => ({
  namespace: printable(pod.metadata.namespace ?? ''),
  name: printable(pod.metadata.name),
  fate,
  why: printable(why),
});

/**
 * What comes of a pod that goes, as far as its controller says it; '' if another one simply takes its place. `isRemoved`: it is removed at once, without the word of
 * its node.
 */
export const afterIt = (pod: Pod, isRemoved = false): string => {
  const kind = controllerOf(pod)?.kind;
  if (kind === undefined) return 'no controller makes it again';
  if (kind !== 'StatefulSet') return '';
  return isRemoved ? 'its successor is made at once' : 'its successor waits until it is gone for sure';
};

/** Reasons in one line, without those that are empty. */
export const because = (...whys: readonly string[]): string => whys.filter((why) => why !== '').join('; ');
