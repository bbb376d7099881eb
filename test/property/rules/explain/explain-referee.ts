/** Compares what explanations said with what happened then. */

import { byText } from '../../../../shared/kube/text/compare-text.ts';
import type { Answer, Change } from '../../../../shared/rules/explain/explanation.ts';
import { concerns, type Happening, happeningsOf, OF_NODE, zoneOf } from './explain-happenings.ts';
import type { Sample } from './explain-samples.ts';
import { clockText, type ExplainedDay } from './explain-world.ts';

/** Instants are stored by one clock and judged by others, and messages come in whole seconds. */
const EARLY_MS = 1_500;
/** Sweeps look at all nodes within this time. */
const SWEEP_MS = 10 * 60_000;
/** How long the controller takes to write the taint of a token at most. */
const TOKEN_VALID_MS = 1_000;

interface Case {
  readonly name: string;
  readonly question: string;
  readonly said: Sample;
  readonly answer: Answer;
}

interface Referee {
  readonly explained: ExplainedDay;
  readonly happenings: readonly Happening[];
  readonly lateMs: number;
  /** How long (ms) after a node has flipped the zones may still be those of before: a pass that dies is made up for by the next one. */
  readonly countedMs: number;
  /** How often a prediction was met. */
  met: number;
  /** How often an answer without a prediction lasted. */
  stayed: number;
}

/** What a controller stores some time after it has happened. */
const STORED_LATER: readonly Change[] = [
  ...OF_NODE,
  ...(['Unmount', 'AttacherActs', 'OtherPods', 'BudgetStatus', 'Cordon'] as const),
];

/** Drains that are over, and volumes of pods that a look has read as they were, are looked at again by a sweep. */
const delayOf = ({ question }: Case, change: Change, lateMs: number): number => {
  const isSwept = question === 'drain' || question.startsWith('detach');
  if (isSwept && (change === 'PodsGo' || change === 'PodsOfNode')) return SWEEP_MS;
  return STORED_LATER.includes(change) ? lateMs : EARLY_MS;
};

/** The node of a VolumeAttachment may be another one than that of the pod. */
const nodeOf = ({ said, answer }: Case): string => String(answer.because[0]?.values?.['node'] ?? said.node);

/** The changes that the answer named and that came in (from, to]. */
const excuses = (one: Case, { happenings, countedMs, lateMs }: Referee, to: number): readonly Change[] =>
  one.answer.wouldChange.filter((change) => {
    const delayMs = delayOf(one, change, lateMs);
    const from = one.said.at - (change === 'ZoneState' ? countedMs : delayMs);
    const node = one.question.startsWith('detach') ? nodeOf(one) : one.said.node;
    return happenings.some(
      ({ at, ...what }) => at > from && at <= to && concerns({ at, ...what }, change, one.name, node),
    );
  });

/** The questions that the disappearance of an object answers. */
const isGoneBy = (question: string): boolean => question === 'eviction' || question === 'deletion';

/** What a prediction comes to when the object is gone. */
const meets = (said: string, is: string): boolean =>
  said === is || (is === 'Gone' && GONE.includes(said)) || (said === 'Draining' && DRAINS.includes(is));

const GONE: readonly string[] = ['Evicted', 'Deleted', 'Detached', 'Detaching', 'NoDrain'];
/** A look may find that there is nothing to be done, or that it is too late. */
const DRAINS: readonly string[] = ['Drained', 'DrainGaveUp'];
/** What is due, and about to happen. */
const DUE: Readonly<Record<string, readonly string[]>> = {
  EvictionDue: ['Evicted'],
  DetachDue: ['Detached', 'Detaching'],
  WaitsForPace: ['Unknown'],
};
/** Events that leave the verdict as it is. */
const EVENTS: readonly string[] = ['PodsDeleted'];

const describe = ({ name, question, said, answer }: Case, what: string): string => {
  const { verdict, next } = answer;
  const foretold = next ? `, ${next.verdict} at ${clockText(next.at)}` : '';
  return `${clockText(said.at)} ${name} ${question}: ${verdict}${foretold}; ${what}`;
};

/** Whether the zones are others by then: a pass counts nodes a moment after they flip. */
const haveZonesChanged = ({ answer, said }: Case, later: readonly Sample[], to: number): boolean =>
  answer.wouldChange.includes('ZoneState') && later.some(({ at, zones }) => at <= to && zones !== said.zones);

const hasBeaten = ({ answer, said }: Case, later: readonly Sample[], to: number): boolean =>
  answer.wouldChange.includes('Heartbeat') &&
  later.some(({ at, beatAt }) => at <= to && beatAt > said.beatAt);

/**
 * A process that stalls finishes later what it decided before. It takes the token of its zone first, which an answer then counts as used up, and
 * the taint bears the instant of its write: while the token was valid.
 */
const wasUnderWay = (
  { explained }: Referee,
  { question, said }: Case,
  { answers, node }: Sample,
): boolean => {
  const { verdict, since } = answers.get(question) ?? {};
  if (verdict !== 'Tainted' || since === undefined) return false;
  const isTaken = explained.day.tokens.some(
    ({ zone, at }) => zone === zoneOf(node) && at <= said.at && since - at <= TOKEN_VALID_MS,
  );
  return isTaken || since < said.at;
};

/** A change that was neither foretold nor named. */
const unforeseen = (referee: Referee, one: Case, later: readonly Sample[]): readonly string[] => {
  const [after] = later;
  if (!after) return [];
  const { verdict, next } = one.answer;
  // Of a pod that is being deleted only the answer about its deletion goes on.
  const isFinal = one.answer.wouldChange.length === 0;
  if (isFinal || (after.isEnd && !isGoneBy(one.question))) return [];
  const is = after.answers.get(one.question)?.verdict ?? 'Gone';
  if (is === verdict) {
    if (!next) referee.stayed += 1;
    return [];
  }
  const isDue = next !== undefined && DUE[is]?.includes(next.verdict) === true;
  if (next && (isDue || meets(next.verdict, is)) && next.at - EARLY_MS <= after.at) {
    referee.met += 1;
    return [];
  }
  if (
    excuses(one, referee, after.at).length > 0 ||
    wasUnderWay(referee, one, after) ||
    hasBeaten(one, later, after.at) ||
    haveZonesChanged(one, later, after.at)
  )
    return [];
  return [describe(one, `but ${is} at ${clockText(after.at)}`)];
};

/** A prediction that did not come true although nothing that was named happened. */
const unfulfilled = (referee: Referee, one: Case, later: readonly Sample[]): readonly string[] => {
  const { next, verdict } = one.answer;
  const { calmAt, endsAt } = referee.explained;
  if (next?.withinMs === undefined || one.said.at < calmAt || next.verdict === verdict) return [];
  if (EVENTS.includes(next.verdict)) return [];
  const until = next.at + next.withinMs + referee.lateMs;
  if (until > endsAt) return [];
  const isMet = later.some(
    ({ at, answers }) => at <= until && meets(next.verdict, answers.get(one.question)?.verdict ?? 'Gone'),
  );
  if (isMet || (later.at(-1)?.at ?? 0) < until) return [];
  if (
    excuses(one, referee, until).length > 0 ||
    hasBeaten(one, later, until) ||
    haveZonesChanged(one, later, until)
  )
    return [];
  return [describe(one, `but not until ${clockText(until)}`)];
};

const nameOf = (uid: string): string => uid.replace(/-\d+$/, '');

/**
 * Judges all answers. The faults are empty if every one agrees with what happened then. `lateMs`: how late that may be; `countedMs`: how
 * long a pass may take to count a node that has flipped.
 */
export const judgeExplanations = (explained: ExplainedDay, lateMs: number, countedMs: number) => {
  const happenings = happeningsOf(explained);
  const referee: Referee = { explained, happenings, lateMs, countedMs, met: 0, stayed: 0 };
  const faults: string[] = [];
  const lastAt = Math.max(...[...explained.samples.values()].map((list) => list.at(-1)?.at ?? 0));
  for (const [uid, samples] of explained.samples) {
    const isGone = (samples.at(-1)?.at ?? 0) < lastAt;
    const end = {
      at: (samples.at(-1)?.at ?? 0) + EARLY_MS * 3,
      answers: new Map(),
      node: '',
      beatAt: 0,
      zones: samples.at(-1)?.zones ?? '',
      isEnd: true as const,
    };
    const all = isGone ? [...samples, end] : samples;
    for (const [index, said] of samples.entries())
      for (const [question, answer] of said.answers) {
        const one = { name: nameOf(uid), question, said, answer };
        const later = all.slice(index + 1);
        faults.push(...unforeseen(referee, one, later), ...unfulfilled(referee, one, later));
      }
  }
  return { faults: faults.toSorted(byText), met: referee.met, stayed: referee.stayed };
};
