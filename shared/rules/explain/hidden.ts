/** What the caller may not read. */
import type { Answer, Fact, Question } from './explanation.ts';

/** The fact that a decision rests on something that the caller may not read. */
export const hiddenFact = (what: string): Fact => ({
  fact: 'Hidden',
  values: { what },
  source: 'authorization',
});

/** The answer to a question about something that the caller may not read. */
export const hidden = (question: Question, what: string): Answer => ({
  question,
  verdict: 'Hidden',
  wouldChange: [],
  because: [hiddenFact(what)],
});
