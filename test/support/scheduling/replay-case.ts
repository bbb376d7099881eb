/** Puts a recorded case before the rules and says where they differ from what was recorded. */

import { deepEqual } from '../../../shared/kube/json/deep-equal.ts';
import type { Pod } from '../../../shared/kube/types/core.ts';
import type { Cluster, NodeInfo } from '../../../shared/rules/scheduling/cluster/cluster.ts';
import { nodeInfo, withPod } from '../../../shared/rules/scheduling/cluster/cluster.ts';
import type { Misfit, Placement } from '../../../shared/rules/scheduling/decide-placement.ts';
import { decidePlacement } from '../../../shared/rules/scheduling/decide-placement.ts';
import type { Nomination } from '../../../shared/rules/scheduling/feasible-nodes.ts';
import { misfitMessage } from '../../../shared/rules/scheduling/misfit-message.ts';
import { awaitsScheduler } from '../../../shared/rules/scheduling/pending.ts';
import { preempt } from '../../../shared/rules/scheduling/preemption/preempt.ts';
import { PREEMPTION_BY_SCHEDULER } from '../../../shared/rules/scheduling/preemption/preemption.ts';
import type { RecordedCase, Wanted } from './recorded-cases.ts';
import {
  budgetsOf,
  NAMESPACES,
  nodeOf,
  ownersOf,
  podOf,
  storageOf,
  tellingScores,
} from './recorded-cases.ts';
import { clusterOf, withNode } from './scheduling-objects.ts';

const clusterIn = (recorded: RecordedCase): Cluster => {
  const bound = (recorded.bound ?? []).map(podOf);
  const nodes = (recorded.nodes ?? []).map((short) =>
    nodeInfo(
      nodeOf(short),
      bound.filter(({ spec }) => spec.nodeName === short.name),
    ),
  );
  return clusterOf(nodes, {
    storage: storageOf(recorded),
    namespaces: NAMESPACES,
    owners: ownersOf(recorded),
  });
};

const differing = (question: string, want: unknown, got: unknown): readonly string[] =>
  deepEqual(want, got) ? [] : [`${question}: wanted ${JSON.stringify(want)}, got ${JSON.stringify(got)}`];

const faultsOfPlacement = (want: Wanted, { feasible, scores, nodeName }: Placement): readonly string[] => {
  const best = Math.max(...scores.map(({ total }) => total));
  const winners = scores.filter(({ total }) => total === best).map((one) => one.nodeName);
  return [
    ...differing('feasible', want.feasible?.toSorted(), feasible.toSorted()),
    ...(want.winner === undefined
      ? []
      : differing('winner', [want.winner], scores.length > 0 ? winners : [nodeName])),
    ...(want.scores === undefined ? [] : differing('scores', want.scores, tellingScores(scores))),
  ];
};

/** What becomes of a pod that no node takes. */
interface Outcome {
  readonly message: string;
  readonly nominatedNodeName?: string;
  readonly victims: readonly Pod[];
}

const outcomeOf = (recorded: RecordedCase, pod: Pod, misfit: Misfit, state: State): Outcome => {
  const decision = preempt(pod, misfit, { ...state, chance: 0 }, budgetsOf(recorded), 0.5);
  if (decision && 'victims' in decision) return { ...decision, message: misfitMessage(misfit) };
  return { message: misfitMessage(misfit, decision?.message), victims: [] };
};

const namesOf = (pods: readonly Pod[]): readonly string[] =>
  pods.map(({ metadata }) => metadata.name).toSorted();

const faultsOfMisfit = (
  want: Wanted,
  { message, nominatedNodeName, victims }: Outcome,
): readonly string[] => {
  const isRecorded = want.nominated === undefined || want.victims !== undefined;
  const wanted = want.nominated === undefined ? [] : (want.victims ?? []).map((victim) => victim.pod);
  return [
    ...differing('message', want.condition?.message, message),
    ...differing('nominated', want.nominated, nominatedNodeName),
    ...(isRecorded ? differing('victims', wanted.toSorted(), namesOf(victims)) : []),
  ];
};

/** The cluster, and the pods that wait for room in it. */
interface State {
  readonly cluster: Cluster;
  readonly nominations: readonly Nomination[];
}

const leaving = (pod: Pod): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, deletionTimestamp: '2026-01-02T00:00:00Z' },
  status: {
    ...pod.status,
    conditions: [{ type: 'DisruptionTarget', status: 'True', reason: PREEMPTION_BY_SCHEDULER }],
  },
});

const withLeaving = ({ node, pods }: NodeInfo, victims: readonly Pod[]): NodeInfo =>
  nodeInfo(
    node,
    pods.map((pod) => (victims.includes(pod) ? leaving(pod) : pod)),
  );

const nominated = (
  { cluster, nominations }: State,
  pod: Pod,
  { nominatedNodeName, victims }: Outcome,
): State => {
  const info = cluster.nodes.find(({ node }) => node.metadata.name === nominatedNodeName);
  if (!info || nominatedNodeName === undefined) return { cluster, nominations };
  return {
    cluster: withNode(cluster, withLeaving(info, victims)),
    nominations: [...nominations, { pod, nodeName: nominatedNodeName }],
  };
};

const joined = (state: State, pod: Pod, nodeName: string | undefined): State => {
  const info = state.cluster.nodes.find(({ node }) => node.metadata.name === nodeName);
  return info ? { ...state, cluster: withNode(state.cluster, withPod(info, pod)) } : state;
};

/** What the rules say of one pod: the differences, and the cluster after it. */
interface Step {
  readonly faults: readonly string[];
  readonly state: State;
}

const judged = (recorded: RecordedCase, want: Wanted, pod: Pod, state: State): Step => {
  const decision = awaitsScheduler(pod) ? decidePlacement(pod, { ...state, chance: 0 }) : undefined;
  const isBound = decision !== undefined && 'nodeName' in decision;
  const next = joined(state, pod, want.node);
  if (isBound !== want.bound) return { faults: differing('bound', want, decision), state: next };
  if (decision === undefined) return { faults: [], state };
  if ('nodeName' in decision) return { faults: faultsOfPlacement(want, decision), state: next };
  const outcome = outcomeOf(recorded, pod, decision, state);
  return { faults: faultsOfMisfit(want, outcome), state: nominated(state, pod, outcome) };
};

/** What differs, one line for each difference. Later pods of a case see the earlier ones as they were recorded. */
export const replayCase = (recorded: RecordedCase): readonly string[] => {
  const faults: string[] = [];
  let state: State = { cluster: clusterIn(recorded), nominations: [] };
  for (const [index, want] of recorded.want.pods.entries()) {
    const pod = podOf(recorded.pods[index] ?? { name: want.name });
    if (pod.spec.nodeName) {
      state = joined(state, pod, want.node);
      continue;
    }
    const step = judged(recorded, want, pod, state);
    faults.push(...step.faults.map((fault) => `${want.name}: ${fault}`));
    state = step.state;
  }
  return faults;
};
