/** Is the node being drained, by whom, what holds it, and when does it give up? */

import type { Node } from '../../api/core.ts';
import { given } from '../../api/given.ts';
import type { Condition } from '../../api/meta.ts';
import { type EpochMs, parseTime } from '../../api/time.ts';
import { DRAIN_IN_PROGRESS, DRAINED, isDrained } from '../drain/drain-progress.ts';
import type { DrainRequest } from '../drain/drain-request.ts';
import { drainRequestOf } from '../drain/node-drain.ts';
import type { Answer, Fact, Next, Verdict } from './explanation.ts';

/** Delay of a message, and a look at the node. */
const SOON_MS = 60_000;

/** The fact that somebody has asked for a drain. */
export const requestFact = ({ requestedAt, by, reason }: DrainRequest): Fact => ({
  fact: 'DrainRequested',
  at: requestedAt,
  values: { by, reason },
  source: 'annotation rollcall.dev/drain',
});

const conditionFact = ({ type, reason = '', message = '', lastTransitionTime = '' }: Condition): Fact => ({
  fact: 'DrainCondition',
  ...given('at', parseTime(lastTransitionTime)),
  values: { reason, message },
  source: `status.conditions[${type}]`,
});

const verdictOf = (node: Node, progress: Condition | undefined): Verdict => {
  if (isDrained(node)) return 'Drained';
  if (progress === undefined) return 'DrainRequested';
  return progress.status === 'True' ? 'Draining' : 'DrainGaveUp';
};

const nextOf = ({ deadlineAt, deleteAt }: DrainRequest, now: EpochMs): Next | undefined => {
  const ends: readonly Next[] = [
    ...(deadlineAt === undefined
      ? []
      : [{ verdict: 'DrainGaveUp' as const, at: deadlineAt, withinMs: SOON_MS }]),
    ...(deleteAt === undefined ? [] : [{ verdict: 'PodsDeleted' as const, at: deleteAt, withinMs: SOON_MS }]),
  ];
  return ends.filter(({ at }) => at > now).toSorted((a, b) => a.at - b.at)[0];
};

/** Explains the drain of a node at `now` (ms); `undefined` if nobody has asked for one. */
export const explainNodeDrain = (node: Node, now: EpochMs): Answer | undefined => {
  const request = drainRequestOf(node);
  const conditions = node.status?.conditions ?? [];
  const progress = conditions.find(({ type }) => type === DRAIN_IN_PROGRESS);
  const shown = conditions.find(({ type }) => type === (isDrained(node) ? DRAINED : DRAIN_IN_PROGRESS));
  if (!request && !progress) return undefined;
  const verdict = verdictOf(node, progress);
  const isOver = verdict === 'Drained' || verdict === 'DrainGaveUp';
  return {
    question: 'drain',
    verdict,
    ...given('since', parseTime(shown?.lastTransitionTime ?? '')),
    because: [...(request ? [requestFact(request)] : []), ...(shown ? [conditionFact(shown)] : [])],
    ...given('next', request && !isOver ? nextOf(request, now) : undefined),
    wouldChange: isOver ? ['Cordon'] : ['Cordon', 'PodsGo', 'BudgetStatus'],
  };
};
