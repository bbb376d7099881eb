/** Which Hold stops what for a node, and what that means for the other answers. */
import type { HoldClass } from '../../kube/types/hold.ts';
import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { covers, type HoldTarget } from '../holds/held-by.ts';
import { type ActiveHold, type HoldBook, isStanding } from '../holds/hold-book.ts';
import type { Answer, Change, Fact, Question } from './explanation.ts';

/** What a Hold stops of that which an answer says will come. */
const STOPPED: { readonly [Of in Question]?: readonly HoldClass[] } = {
  taint: ['NoExecute'],
  eviction: ['NoExecute', 'Tolerations'],
  drain: ['Drains'],
  service: ['Fencing'],
  detach: ['Fencing'],
  deletion: ['NodeDeletion', 'Fencing'],
  cloud: ['NodeDeletion'],
  zone: ['NoExecute'],
};

const CHANGES: readonly Change[] = ['HoldEnds'];

const factOf = ({ name, by = '', reason = '', stops, from }: ActiveHold): Fact => ({
  fact: 'Hold',
  at: from,
  values: { name, by, reason, stops: stops.join(', ') },
  source: 'the book of holds',
  rule: 'V-102',
});

const endFact = ({ until }: ActiveHold): readonly Fact[] =>
  until === undefined ? [] : [{ fact: 'HoldUntil', at: until, source: 'spec.until', rule: 'V-104' }];

/** What these Holds stop comes later, nobody knows when: it is no next step. */
const withoutHeldNext = (answer: Answer, stopped: ReadonlySet<HoldClass>): Answer => {
  const { next: _next, ...rest } = answer;
  const isStopped = (STOPPED[answer.question] ?? []).some((one) => stopped.has(one));
  return isStopped && answer.next ? { ...rest, wouldChange: [...CHANGES, ...answer.wouldChange] } : answer;
};

/**
 * The answers about something on a node, with the one about its Holds first. While a Hold stops what an answer says will come next, the answer
 * does not say it. V-102.
 */
export const withHolds = (
  answers: readonly Answer[],
  { active }: HoldBook,
  target: HoldTarget,
  now: EpochMs,
): readonly Answer[] => {
  const holds = active.filter((hold) => isStanding(hold, now) && covers(hold, target));
  if (holds.length === 0) return answers;
  const stopped = new Set(holds.flatMap(({ stops }) => stops));
  const held: Answer = {
    question: 'hold',
    verdict: 'HeldByHold',
    ...optional('since', holds[0]?.from),
    because: holds.flatMap((hold) => [factOf(hold), ...endFact(hold)]),
    wouldChange: CHANGES,
  };
  return [held, ...answers.map((answer) => withoutHeldNext(answer, stopped))];
};
