/** Why does the pod have no node? */

import type { Pod } from '../../../kube/types/core.ts';
import { optional } from '../../../kube/values/optional.ts';
import { type EpochMs, parseTime } from '../../../kube/values/time.ts';
import { takesRoom } from '../../scheduling/cluster/cluster.ts';
import { nominatedNodeOf } from '../../scheduling/feasible-nodes.ts';
import { awaitsScheduler, DEFAULT_SCHEDULER } from '../../scheduling/pending.ts';
import { schedulingSpec } from '../../scheduling/pods/scheduling-spec.ts';
import type { Answer, Change, Fact, Verdict } from '../explanation.ts';
import { readMisfit } from '../refusals.ts';

const answer = (
  verdict: Verdict,
  because: readonly Fact[],
  wouldChange: readonly Change[],
  since?: EpochMs,
): Answer => ({ question: 'scheduling', verdict, ...optional('since', since), because, wouldChange });

const boundAnswer = ({ spec }: Pod, boundAt: EpochMs | undefined): Answer => {
  const values = { node: spec.nodeName ?? '' };
  return answer(
    'Bound',
    [{ fact: 'BoundTo', ...optional('at', boundAt), values, source: 'spec.nodeName' }],
    [],
    boundAt,
  );
};

const gateFacts = (pod: Pod): readonly Fact[] =>
  (schedulingSpec(pod).schedulingGates ?? []).map((gate) => ({
    fact: 'SchedulingGate',
    values: { name: (gate as { readonly name?: string }).name ?? '' },
    source: 'spec.schedulingGates',
    rule: 'N-09',
  }));

const schedulerFact = (pod: Pod): Fact => ({
  fact: 'SchedulerName',
  values: { name: schedulingSpec(pod).schedulerName ?? DEFAULT_SCHEDULER },
  source: 'spec.schedulerName',
  rule: 'N-09',
});

const SOURCE = 'status.conditions[PodScheduled]';

/** The facts of the scheduler's message: what each plugin refused, or the message as it is. */
const messageFacts = (message: string): readonly Fact[] => {
  const { refusals, preemption, fault, nodeCount } = readMisfit(message);
  if (fault !== undefined)
    return [{ fact: 'SchedulerMessage', values: { message: fault }, source: SOURCE, rule: 'M-06' }];
  const refused = refusals.map(
    ({ nodes, reason, plugin = '', rule }): Fact => ({
      fact: 'Refusal',
      values: { nodes, of: nodeCount ?? nodes, reason, plugin },
      source: SOURCE,
      ...optional('rule', rule),
    }),
  );
  const preempts: Fact = {
    fact: 'PreemptionMessage',
    values: { message: preemption ?? '' },
    source: SOURCE,
    rule: 'M-07',
  };
  return preemption === undefined ? refused : [...refused, preempts];
};

const nominationFacts = (pod: Pod): readonly Fact[] => {
  const node = nominatedNodeOf(pod);
  return node === ''
    ? []
    : [{ fact: 'NominatedNode', values: { node }, source: 'status.nominatedNodeName', rule: 'M-02' }];
};

const waiting = (pod: Pod): Answer => {
  const refusal = pod.status?.conditions?.find(
    ({ type, status }) => type === 'PodScheduled' && status === 'False',
  );
  const facts = [...messageFacts(refusal?.message ?? ''), ...nominationFacts(pod)];
  const since = parseTime(refusal?.lastTransitionTime ?? '');
  if (!refusal) return answer('NotTried', [schedulerFact(pod)], ['ClusterChanges', 'PodChanges']);
  return answer('Unschedulable', facts, ['ClusterChanges', 'PodChanges'], since);
};

/** Explains whether a pod has a node, or why not. `schedulerName`: whose pods are placed here. */
export const explainScheduling = (pod: Pod, boundAt: EpochMs | undefined, schedulerName: string): Answer => {
  const { nodeName, schedulingGates = [] } = schedulingSpec(pod);
  if (nodeName) return boundAnswer(pod, boundAt);
  if (pod.metadata.deletionTimestamp !== undefined || !takesRoom(pod))
    return answer(
      'Ended',
      [{ fact: 'PodPhase', values: { phase: pod.status?.phase ?? '' }, source: 'status.phase' }],
      [],
    );
  if (schedulingGates.length > 0) return answer('Gated', gateFacts(pod), ['GatesRemoved', 'PodChanges']);
  if (!awaitsScheduler(pod, schedulerName))
    return answer('OtherScheduler', [schedulerFact(pod)], ['OtherController', 'PodChanges']);
  return waiting(pod);
};
