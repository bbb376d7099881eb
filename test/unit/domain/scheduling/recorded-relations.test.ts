/** The recorded cases about spread, affinity between pods and preemption, on the rules alone. */
import { describe, expect, it } from 'vitest';
import type { Node, Pod } from '../../../../shared/api/core.ts';
import type { PodDisruptionBudget } from '../../../../shared/api/policy.ts';
import type { LabelMapOwner, SelectorOwner } from '../../../../shared/domain/scheduling/default-spread.ts';
import {
  interPodAffinityRefusal,
  interPodAffinityState,
} from '../../../../shared/domain/scheduling/inter-pod-affinity.ts';
import {
  INTER_POD_AFFINITY_WEIGHT,
  interPodAffinityScores,
} from '../../../../shared/domain/scheduling/inter-pod-affinity-score.ts';
import type { PlacementRefusal, PopulatedNode } from '../../../../shared/domain/scheduling/placement.ts';
import { priorityOf } from '../../../../shared/domain/scheduling/pod-importance.ts';
import {
  decidePreemption,
  nominatedNodeOf,
  PREEMPTION_BY_SCHEDULER,
} from '../../../../shared/domain/scheduling/preemption.ts';
import { reasonCounts } from '../../../../shared/domain/scheduling/reason-counts.ts';
import { spreadRefusal, spreadState } from '../../../../shared/domain/scheduling/topology-spread.ts';
import {
  spreadScores,
  TOPOLOGY_SPREAD_WEIGHT,
} from '../../../../shared/domain/scheduling/topology-spread-score.ts';
import type { RecordedAnswer, RecordedCase } from '../../../support/recorded-scheduling.ts';
import {
  RECORDED_NAMESPACES,
  recordedCases,
  recordedNode,
  recordedObjects,
  recordedPod,
} from '../../../support/recorded-scheduling.ts';
import { otherRefusal, selectsNode } from './other-filters.ts';

/** What the rules say of one pod. */
interface Answer {
  readonly feasible: readonly string[];
  readonly scores: Readonly<Record<string, readonly number[] | undefined>>;
  readonly message?: string;
  readonly nominated?: string;
  readonly victims?: readonly Pod[];
}

type Judge = (at: PopulatedNode, without: readonly Pod[]) => PlacementRefusal | undefined;

/** Judges nodes by all rules; pods nominated for a node count if they are at least as important. */
const judge = (pod: Pod, nodes: readonly PopulatedNode[], waiting: readonly Pod[]): Judge => {
  const spread = spreadState(pod, nodes, selectsNode(pod));
  const affinity = interPodAffinityState(pod, nodes, RECORDED_NAMESPACES);
  return ({ node, pods }, removed) => {
    const added = waiting.filter(
      (other) => nominatedNodeOf(other) === node.metadata.name && priorityOf(other) >= priorityOf(pod),
    );
    const present = [...pods.filter((other) => !removed.includes(other)), ...added];
    const change = { removed, added };
    return (
      otherRefusal(pod, node, present) ??
      spreadRefusal(spread, node, change) ??
      interPodAffinityRefusal(affinity, node, change)
    );
  };
};

const ownersOf = (one: RecordedCase) => ({
  services: recordedObjects<LabelMapOwner>(one, 'Service'),
  replicaSets: recordedObjects<SelectorOwner>(one, 'ReplicaSet'),
});

const answerTo = (
  one: RecordedCase,
  pod: Pod,
  nodes: readonly PopulatedNode[],
  waiting: readonly Pod[],
): Answer => {
  const refusalWithout = judge(pod, nodes, waiting);
  const refusals = new Map(
    nodes.flatMap((at) => {
      const refusal = refusalWithout(at, []);
      return refusal ? [[at.node.metadata.name, refusal] as const] : [];
    }),
  );
  const fits = nodes.filter(({ node }) => !refusals.has(node.metadata.name));
  const feasible = fits.map(({ node }) => node.metadata.name);
  const scores = {
    PodTopologySpread: spreadScores(pod, nodes, fits, selectsNode(pod), ownersOf(one)),
    InterPodAffinity: interPodAffinityScores(pod, nodes, fits, RECORDED_NAMESPACES),
  };
  if (fits.length > 0) return { feasible, scores };
  const budgets = recordedObjects<PodDisruptionBudget>(one, 'PodDisruptionBudget');
  const decision = decidePreemption({ pod, nodes, refusals, budgets, refusalWithout, chance: 0.5 });
  const reasons = reasonCounts(
    nodes.length,
    [...refusals.values()].flatMap((refusal) => refusal.reasons),
  );
  if ('victims' in decision)
    return {
      feasible,
      scores,
      message: reasons,
      nominated: decision.nominatedNodeName,
      victims: decision.victims,
    };
  const message = `${reasons} no new claims to deallocate, preemption: ${decision.message}`;
  return { feasible, scores, message };
};

const leaving = (pod: Pod): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, deletionTimestamp: '2026-01-02T00:00:00Z' },
  status: {
    ...pod.status,
    conditions: [{ type: 'DisruptionTarget', status: 'True', reason: PREEMPTION_BY_SCHEDULER }],
  },
});

/** The cluster after the recorded answer: the pod is on its node, or its victims are leaving. */
const after = (
  nodes: readonly PopulatedNode[],
  pod: Pod,
  { node: name }: RecordedAnswer,
  { victims = [] }: Answer,
): readonly PopulatedNode[] =>
  nodes.map(({ node, pods }) => ({
    node,
    pods: [
      ...pods.map((other) => (victims.includes(other) ? leaving(other) : other)),
      ...(node.metadata.name === name ? [pod] : []),
    ],
  }));

const populated = ({ nodes = [], bound = [] }: RecordedCase): readonly PopulatedNode[] => {
  const pods = bound.map(recordedPod);
  return nodes.map(recordedNode).map((node: Node) => ({
    node,
    pods: pods.filter(
      ({ spec, status }) =>
        spec.nodeName === node.metadata.name && status?.phase !== 'Succeeded' && status?.phase !== 'Failed',
    ),
  }));
};

/** What our rules say of the pods of a case, one after the other as they were created. */
const answersTo = (one: RecordedCase): readonly Answer[] => {
  let nodes = populated(one);
  const waiting: Pod[] = [];
  // A pod after one that went another way in the recording has no recorded answer.
  return one.pods.slice(0, one.want.pods.length).map((recorded, index) => {
    const pod = recordedPod(recorded);
    const want = one.want.pods[index] ?? { name: recorded.name, bound: false };
    const answer = answerTo(one, pod, nodes, waiting);
    nodes = after(nodes, pod, want, answer);
    const status = answer.nominated ? { nominatedNodeName: answer.nominated } : {};
    if (!want.bound) waiting.push({ ...pod, status: { ...pod.status, ...status } });
    return answer;
  });
};

const WEIGHTS = { PodTopologySpread: TOPOLOGY_SPREAD_WEIGHT, InterPodAffinity: INTER_POD_AFFINITY_WEIGHT };

/** The recorded scores of the plugin; where it does not tell the nodes apart, the recording leaves it out. */
const wantedScores = ({ scores = {} }: RecordedAnswer, plugin: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(scores).flatMap(([node, by]) => (by[plugin] === undefined ? [] : [[node, by[plugin]]])),
  );

const weightedScores = (
  { feasible, scores }: Answer,
  plugin: keyof typeof WEIGHTS,
): Readonly<Record<string, number>> => {
  const own = scores[plugin] ?? [];
  if (new Set(own).size < 2) return {};
  return Object.fromEntries(feasible.map((node, index) => [node, WEIGHTS[plugin] * (own[index] ?? 0)]));
};

const seen = (answer: RecordedAnswer) => ({
  feasible: answer.bound ? (answer.feasible ?? []) : [],
  spread: wantedScores(answer, 'PodTopologySpread'),
  affinity: wantedScores(answer, 'InterPodAffinity'),
  message: answer.condition?.message,
  nominated: answer.nominated,
});

const ours = (answer: Answer) => ({
  feasible: answer.feasible,
  spread: weightedScores(answer, 'PodTopologySpread'),
  affinity: weightedScores(answer, 'InterPodAffinity'),
  message: answer.message,
  nominated: answer.nominated,
});

describe.each([
  ['spread', 31, 'X-01'],
  ['podaffinity', 33, 'Y-01'],
  ['preemption', 24, 'U-01'],
])('the recorded group %s has %i cases (%s)', (group, count) => {
  const cases = recordedCases(group);

  it('is complete', () => expect(cases).toHaveLength(count));

  it.each(cases)('$id: $about', (one) => {
    const answers = answersTo(one);
    expect(answers.map(ours)).toEqual(one.want.pods.map(seen));
    const victims = answers.map((answer) => answer.victims?.map(({ metadata }) => metadata.name).toSorted());
    const preempting = one.want.pods.filter(({ nominated }) => nominated);
    expect(victims.filter((names) => names)).toEqual(
      preempting.map((answer) => answer.victims?.map(({ pod }) => pod).toSorted()),
    );
  });
});
