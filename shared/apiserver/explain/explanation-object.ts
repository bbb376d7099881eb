/** Explanations as objects of the API: data, and a sentence beside each of them. */
import { given } from '../../kube/values/optional.ts';
import { type EpochMs, toTime } from '../../kube/values/time.ts';
import type { Answer, Fact, Next } from '../../rules/explain/explanation.ts';
import { changeText, factText, verdictText } from './words.ts';

/** What is explained. */
export interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
}

const timeOf = (at: EpochMs | undefined): string | undefined => (at === undefined ? undefined : toTime(at));

const factObject = (fact: Fact) => ({
  fact: fact.fact,
  message: factText(fact),
  ...given('time', timeOf(fact.at)),
  ...given('values', fact.values),
  source: fact.source,
  ...given('rule', fact.rule),
});

const nextObject = ({ verdict, at, withinMs }: Next) => ({
  verdict,
  message: verdictText(verdict),
  time: toTime(at),
  ...given('withinSeconds', withinMs === undefined ? undefined : withinMs / 1000),
});

const answerObject = ({ question, about, verdict, since, because, next, wouldChange }: Answer) => ({
  question,
  ...given('about', about),
  verdict,
  message: verdictText(verdict),
  ...given('since', timeOf(since)),
  because: because.map(factObject),
  ...given('next', next && nextObject(next)),
  wouldChange: wouldChange.map((change) => ({ change, message: changeText(change) })),
});

/** The Explanation of a subject at an instant (ms). */
export const explanationObject = (subject: Subject, answers: readonly Answer[], now: EpochMs) => ({
  kind: 'Explanation',
  apiVersion: 'rollcall.dev/v1',
  metadata: { name: subject.name, ...given('namespace', subject.namespace) },
  subject,
  time: toTime(now),
  answers: answers.map(answerObject),
});
