/** Is the node being drained, by whom, what holds it, and when does it give up? */

import type { Node } from '../../../kube/types/core.ts';
import type { Condition } from '../../../kube/types/meta.ts';
import { DRAIN_IN_PROGRESS, DRAINED } from '../../../kube/types/well-known.ts';
import { optional } from '../../../kube/values/optional.ts';
import { type EpochMs, parseTime } from '../../../kube/values/time.ts';
import { isDrained } from '../../drain/drain-progress.ts';
import { type DrainRequest, isPastDeadline, isValid } from '../../drain/drain-request.ts';
import { drainRequestOf } from '../../drain/node-drain.ts';
import type { Answer, Change, Fact, Next, Verdict } from '../explanation.ts';

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
  ...optional('at', parseTime(lastTransitionTime)),
  values: { reason, message },
  source: `status.conditions[${type}]`,
});

const verdictOf = (
  node: Node,
  request: DrainRequest | undefined,
  progress: Condition | undefined,
): Verdict => {
  if (!request) return 'DrainTakenBack';
  if (isDrained(node)) return 'Drained';
  if (progress === undefined) return 'DrainRequested';
  if (!isValid(request)) return 'DrainInvalid';
  return progress.status === 'True' ? 'Draining' : 'DrainGaveUp';
};

/** When pods are not asked for any more, and when the drain gives up. */
const endFacts = ({ deadlineAt, deleteAt }: DrainRequest): readonly Fact[] => {
  const source = 'annotation rollcall.dev/drain';
  const facts: readonly Fact[] = [
    { fact: 'DrainDeletesFrom', ...optional('at', deleteAt), source },
    { fact: 'DrainDeadline', ...optional('at', deadlineAt), source },
  ];
  return facts.filter(({ at }) => at !== undefined);
};

const endOf = ({ deadlineAt, deleteAt }: DrainRequest, now: EpochMs): Next | undefined => {
  if (deleteAt !== undefined && deleteAt > now && deleteAt <= (deadlineAt ?? deleteAt))
    return { verdict: 'PodsDeleted', at: deleteAt, withinMs: SOON_MS };
  if (deadlineAt === undefined) return undefined;
  return { verdict: 'DrainGaveUp', at: Math.max(now, deadlineAt), withinMs: SOON_MS };
};

/** What the first look finds. */
const firstOf = (request: DrainRequest, now: EpochMs): Verdict => {
  if (!isValid(request)) return 'DrainInvalid';
  return isPastDeadline(request, now) ? 'DrainGaveUp' : 'Draining';
};

/** A look comes at once, and says how far the drain is, or that there is none any more. */
const nextOf = (verdict: Verdict, request: DrainRequest | undefined, now: EpochMs): Next | undefined => {
  if (!request) return { verdict: 'NoDrain', at: now, withinMs: SOON_MS };
  if (verdict === 'Draining') return endOf(request, now);
  if (verdict !== 'DrainRequested') return undefined;
  return {
    verdict: firstOf(request, now),
    at: now,
    withinMs: SOON_MS,
  };
};

const CHANGES: Readonly<Partial<Record<Verdict, readonly Change[]>>> = {
  Draining: ['Cordon', 'PodsGo', 'BudgetStatus', 'NodeDeleted'],
  DrainRequested: ['Cordon', 'PodsGo', 'NodeDeleted'],
  DrainGaveUp: ['Cordon', 'PodsGo', 'NodeDeleted'],
  Drained: ['Cordon', 'PodsOfNode', 'NodeDeleted'],
};

/** Explains the drain of a node at `now` (ms); `undefined` if nobody has asked for one. */
export const explainNodeDrain = (node: Node, now: EpochMs): Answer | undefined => {
  const request = drainRequestOf(node);
  const conditions = node.status?.conditions ?? [];
  const progress = conditions.find(({ type }) => type === DRAIN_IN_PROGRESS);
  const shown = conditions.find(({ type }) => type === (isDrained(node) ? DRAINED : DRAIN_IN_PROGRESS));
  if (!request && !progress) return undefined;
  const verdict = verdictOf(node, request, progress);
  return {
    question: 'drain',
    verdict,
    ...optional('since', parseTime(shown?.lastTransitionTime ?? '')),
    because: [
      ...(request ? [requestFact(request), ...endFacts(request)] : []),
      ...(shown ? [conditionFact(shown)] : []),
    ],
    ...optional('next', nextOf(verdict, request, now)),
    wouldChange: CHANGES[verdict] ?? ['Cordon', 'NodeDeleted'],
  };
};
