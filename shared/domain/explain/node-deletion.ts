/** Why is an object still there although it was deleted? For objects that no node has to stop. */
import type { ApiObject } from '../../api/meta.ts';
import { parseTime } from '../../api/time.ts';
import { type Answer, given } from './explanation.ts';

/** Explains what holds a Node that was deleted; `undefined` if nobody has deleted it. */
export const explainNodeDeletion = ({ metadata }: ApiObject): Answer | undefined => {
  const { deletionTimestamp, finalizers = [] } = metadata;
  if (deletionTimestamp === undefined) return undefined;
  const at = parseTime(deletionTimestamp);
  return {
    question: 'deletion',
    verdict: 'HeldByFinalizers',
    ...given('since', at),
    because: [
      { fact: 'DeletionBegan', ...given('at', at), source: 'metadata.deletionTimestamp', rule: 'A-08' },
      ...finalizers.map((name) => ({
        fact: 'Finalizer' as const,
        values: { name },
        source: 'metadata.finalizers',
        rule: 'A-09',
      })),
    ],
    wouldChange: ['FinalizersRemoved'],
  };
};
