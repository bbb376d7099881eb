/** Is the node shutting down, how far is it, and when is it over? What does that mean for its pods and taints? */
import type { Pod } from '../../../kube/types/core.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import { isEndedByNode } from '../../shutdown/ended-pods.ts';
import { type ShutdownFacts, shutdownAt } from '../../shutdown/shutdown-facts.ts';
import { type Answer, awaitsTaint, type Fact, type Next } from '../explanation.ts';
import { hiddenFact } from '../hidden.ts';

/** Delay of the message that ends it. */
const WITHIN_MS = 5_000;
/** Pods that are named. */
const MOST_NAMED = 5;

/** What is stored of a node's shutdown. */
interface Facts {
  readonly shutdown?: ShutdownFacts;
}

const SOURCE = 'annotation rollcall.dev/shutdown';

/** The instant from which on everything goes its usual way. */
export const shutdownDeadline = ({ endsAt }: ShutdownFacts): Fact => ({
  fact: 'ShutdownDeadline',
  at: endsAt,
  source: 'stored deadline of the shutdown',
  rule: 'J-131',
});

const phaseFact = ({ phase, phases, phaseEndsAt }: ShutdownFacts): Fact => ({
  fact: 'ShutdownPhase',
  at: phaseEndsAt,
  values: { phase, phases },
  source: SOURCE,
  rule: 'J-130',
});

const podsFact = (pods: readonly Pod[]): Fact => {
  const names = pods.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`).sort();
  const more = names.length - MOST_NAMED;
  const named = `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const values = { count: names.length, names: named };
  return { fact: 'ShutdownPods', values, source: 'pods of the node', rule: 'J-136' };
};

const overAt = ({ endsAt }: ShutdownFacts): Next => ({
  verdict: 'ShutdownOver',
  at: endsAt,
  withinMs: WITHIN_MS,
});

/** Explains the shutdown of a node at `now` (ms); `undefined` if none goes on. `pods`: those of the node, if the caller may read them. */
export const explainNodeShutdown = (
  facts: Facts | undefined,
  pods: readonly Pod[] | 'hidden',
  now: EpochMs,
): Answer | undefined => {
  const shutdown = shutdownAt(facts, now);
  if (!shutdown) return undefined;
  const left = pods === 'hidden' ? pods : pods.filter((pod) => isEndedByNode(facts, pod, now));
  return {
    question: 'shutdown',
    verdict: 'ShuttingDown',
    since: shutdown.beganAt,
    because: [
      phaseFact(shutdown),
      shutdownDeadline(shutdown),
      left === 'hidden' ? hiddenFact('pods') : podsFact(left),
    ],
    next: overAt(shutdown),
    wouldChange: ['ShutdownEnds', 'NodeDeleted'],
  };
};

/** Explains at `now` (ms) what the shutdown of its node does with a pod; `undefined` if the node does not shut down. */
export const explainPodShutdown = (pod: Pod, facts: Facts | undefined, now: EpochMs): Answer | undefined => {
  const shutdown = shutdownAt(facts, now);
  if (!shutdown) return undefined;
  return {
    question: 'shutdown',
    verdict: isEndedByNode(facts, pod, now) ? 'EndsWithNode' : 'StaysWithNode',
    since: shutdown.beganAt,
    because: [phaseFact(shutdown), shutdownDeadline(shutdown)],
    next: overAt(shutdown),
    wouldChange: ['ShutdownEnds', 'NodeDeleted'],
  };
};

/** The answer about the taints of a node, which waits for none while it shuts down. */
export const untilShutdownEnds = (taint: Answer, facts: Facts | undefined, now: EpochMs): Answer => {
  const shutdown = shutdownAt(facts, now);
  const isWaiting = awaitsTaint(taint.verdict);
  if (!shutdown || !isWaiting) return taint;
  return {
    question: 'taint',
    verdict: 'HeldByShutdown',
    because: [shutdownDeadline(shutdown)],
    next: { verdict: 'WaitsForTaint', at: shutdown.endsAt },
    wouldChange: ['ReadyCondition', 'ClientTaints', 'ShutdownEnds', 'NodeDeleted'],
  };
};
