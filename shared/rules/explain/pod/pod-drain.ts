/** What does the drain of its node do with the pod? */

import type { Node, Pod } from '../../../kube/types/core.ts';
import { optional } from '../../../kube/values/optional.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import { type DrainStep, drainStep, REFUSAL_TEXTS } from '../../drain/drain-pods.ts';
import { drainRequestOf } from '../../drain/node-drain.ts';
import type { Answer, Fact, Next, Verdict } from '../explanation.ts';
import { requestFact } from '../node/node-drain.ts';

const VERDICTS: Readonly<Record<DrainStep['step'], Verdict>> = {
  leave: 'LeftByDrain',
  wait: 'Terminating',
  evict: 'DrainEvicts',
  delete: 'DrainDeletes',
  refuse: 'RefusedByDrain',
};

const refusalFacts = (step: DrainStep): readonly Fact[] =>
  step.step === 'refuse'
    ? step.refusals.map((refusal) => ({
        fact: 'DrainRefusal',
        values: { why: REFUSAL_TEXTS[refusal] },
        source: 'annotation rollcall.dev/drain of the node',
      }))
    : [];

/** Explains at `now` (ms) what a drain does with a pod; `undefined` if its node is not being drained. */
export const explainPodDrain = (pod: Pod, node: Node, now: EpochMs): Answer | undefined => {
  const request = drainRequestOf(node);
  if (!request) return undefined;
  const step = drainStep(pod, request, now);
  const at = step.step === 'evict' ? request.deleteAt : undefined;
  const next: Next | undefined = at === undefined ? undefined : { verdict: 'DrainDeletes', at };
  return {
    question: 'drain',
    verdict: VERDICTS[step.step],
    because: [requestFact(request), ...refusalFacts(step)],
    ...optional('next', next),
    wouldChange: ['Cordon', 'BudgetStatus', 'PodChanges', 'Deletion', 'Eviction', 'NodeDeleted'],
  };
};
