/** Why is an object still there although it was deleted? For objects that no node has to stop. */

import type { ApiObject } from '../../../kube/types/meta.ts';
import { optional } from '../../../kube/values/optional.ts';
import { parseTime } from '../../../kube/values/time.ts';
import type { Answer } from '../explanation.ts';
import { finalizerFacts } from '../finalizer-facts.ts';

/** Explains what holds a Node that was deleted; `undefined` if nobody has deleted it. */
export const explainNodeDeletion = (object: ApiObject): Answer | undefined => {
  const { deletionTimestamp } = object.metadata;
  if (deletionTimestamp === undefined) return undefined;
  const at = parseTime(deletionTimestamp);
  return {
    question: 'deletion',
    verdict: 'HeldByFinalizers',
    ...optional('since', at),
    because: [
      { fact: 'DeletionBegan', ...optional('at', at), source: 'metadata.deletionTimestamp', rule: 'A-08' },
      ...finalizerFacts(object),
    ],
    wouldChange: ['FinalizersRemoved'],
  };
};
