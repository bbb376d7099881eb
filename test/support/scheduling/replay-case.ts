/** Puts a recorded case before the rules and says where they differ from what was recorded. */
import type { Pod } from '../../../shared/api/core.ts';
import { deepEqual } from '../../../shared/api/deep-equal.ts';
import type { Cluster } from '../../../shared/domain/scheduling/cluster.ts';
import { nodeInfo, withNode, withPod } from '../../../shared/domain/scheduling/cluster.ts';
import type { Misfit, Placement } from '../../../shared/domain/scheduling/decide-placement.ts';
import { decidePlacement } from '../../../shared/domain/scheduling/decide-placement.ts';
import { misfitMessage, preemptionMessage } from '../../../shared/domain/scheduling/misfit-message.ts';
import { awaitsScheduler } from '../../../shared/domain/scheduling/pending.ts';
import type { RecordedCase, Wanted } from './recorded-cases.ts';
import { nodeOf, podOf, storageOf, tellingScores } from './recorded-cases.ts';

const clusterOf = (recorded: RecordedCase): Cluster => {
  const bound = (recorded.bound ?? []).map(podOf);
  const nodes = (recorded.nodes ?? []).map((short) =>
    nodeInfo(
      nodeOf(short),
      bound.filter(({ spec }) => spec.nodeName === short.name),
    ),
  );
  return { nodes, storage: storageOf(recorded) };
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

const faultsOfMisfit = (want: Wanted, pod: Pod, misfit: Misfit): readonly string[] => {
  const preemption = want.nominated === undefined ? preemptionMessage(pod, misfit) : undefined;
  return differing('message', want.condition?.message, misfitMessage(misfit, preemption));
};

const faultsOf = (want: Wanted, pod: Pod, decision: Placement | Misfit | undefined): readonly string[] => {
  const isBound = decision !== undefined && 'nodeName' in decision;
  if (isBound !== want.bound) return differing('bound', want, decision);
  if (decision === undefined) return [];
  return 'nodeName' in decision ? faultsOfPlacement(want, decision) : faultsOfMisfit(want, pod, decision);
};

const joined = (cluster: Cluster, pod: Pod, nodeName: string | undefined): Cluster => {
  const info = cluster.nodes.find(({ node }) => node.metadata.name === nodeName);
  return info ? withNode(cluster, withPod(info, pod)) : cluster;
};

/** What differs, one line for each difference. Later pods of a case see the earlier ones on their recorded nodes. */
export const replayCase = (recorded: RecordedCase): readonly string[] => {
  const faults: string[] = [];
  let cluster = clusterOf(recorded);
  for (const [index, want] of recorded.want.pods.entries()) {
    const pod = podOf(recorded.pods[index] ?? { name: want.name });
    const decision = awaitsScheduler(pod) ? decidePlacement(pod, { cluster, chance: 0 }) : undefined;
    if (!pod.spec.nodeName)
      faults.push(...faultsOf(want, pod, decision).map((fault) => `${want.name}: ${fault}`));
    cluster = joined(cluster, pod, want.node);
  }
  return faults;
};
