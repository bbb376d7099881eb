/** An explanation as a person reads it. */
import { humanDuration } from '../../shared/kube/text/human-duration.ts';

/** The fields of a fact that are printed. */
interface FactLine {
  readonly message: string;
  readonly time?: string;
  readonly source: string;
  readonly rule?: string;
}

/** The fields of an Explanation that are printed. */
export interface Explanation {
  readonly subject: { readonly kind: string; readonly name: string; readonly namespace?: string };
  readonly time: string;
  readonly answers: readonly {
    readonly question: string;
    readonly verdict: string;
    readonly message: string;
    readonly since?: string;
    readonly because: readonly FactLine[];
    readonly next?: { readonly message: string; readonly time: string; readonly withinSeconds?: number };
    readonly wouldChange: readonly { readonly message: string }[];
  }[];
}

type Answer = Explanation['answers'][number];

/** Longest text of a fact beside which the sources are aligned. */
const WIDEST = 72;
/** Width of the column with the questions. */
const QUESTION = 12;

const msFrom = (from: string, to: string): number => Date.parse(to) - Date.parse(from);

/** `2m5s ago`, `in 30s`, `now`. */
const relative = (time: string, now: string): string => {
  const ms = msFrom(now, time);
  if (ms === 0) return 'now';
  return ms < 0 ? `${humanDuration(-ms)} ago` : `in ${humanDuration(ms)}`;
};

const factText = ({ message, time }: FactLine, now: string): string =>
  time === undefined ? message : `${message.replace(/\.$/, '')}: ${relative(time, now)}`;

const factLines = ({ because }: Answer, now: string): readonly string[] => {
  const texts = because.map((fact) => factText(fact, now));
  const width = Math.max(0, ...texts.map(({ length }) => length).filter((length) => length <= WIDEST));
  return because.map(({ source, rule }, index) => {
    const from = rule === undefined ? source : `${source}, ${rule}`;
    return `  ${(texts[index] ?? '').padEnd(width)}  (${from})`;
  });
};

/** `a, b or c` */
const listOf = (changes: Answer['wouldChange']): string => {
  const texts = changes.map(({ message }) => message);
  const last = texts.pop() ?? '';
  return texts.length === 0 ? last : `${texts.join(', ')} or ${last}`;
};

const nextLines = ({ next, wouldChange }: Answer, now: string): readonly string[] => {
  const changes = listOf(wouldChange);
  if (!next) return changes === '' ? [] : [`  until ${changes}`];
  const when = next.withinSeconds === undefined ? 'not before ' : '';
  const at = `${when}${relative(next.time, now)} (${next.time.slice(11, 19)})`;
  return [`  next: ${next.message}, ${at}`, ...(changes === '' ? [] : [`  unless ${changes}`])];
};

const answerLines = (answer: Answer, now: string): readonly string[] => {
  const since = answer.since === undefined ? '' : `, for ${humanDuration(msFrom(answer.since, now))}`;
  const head = `${answer.question.padEnd(QUESTION)}${answer.message}${since}`;
  return [head, ...factLines(answer, now), ...nextLines(answer, now)];
};

const titleOf = ({ subject: { kind, name, namespace }, time }: Explanation): string => {
  const where = namespace === undefined ? '' : ` in ${namespace}`;
  return `${kind} ${name}${where} at ${time.slice(11, 19)} UTC`;
};

/** Verdicts that say that there is nothing to say. */
const QUIET: readonly string[] = ['NotDeleted', 'NoBudget', 'Wanted'];

/** The whole text, a block for each question that matters. */
export const explanationText = (explanation: Explanation): string => {
  const blocks = explanation.answers
    .filter(({ verdict }) => !QUIET.includes(verdict))
    .map((answer) => answerLines(answer, explanation.time).join('\n'));
  return [titleOf(explanation), ...blocks].join('\n\n');
};
