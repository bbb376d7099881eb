/** Whether a pod can run with what its containers need near each other. Source: kubernetes v1.34 topologymanager `scope*.go`. */

import type { AgentPod } from '../containers/agent-pod.ts';
import type { Container } from '../containers/container.ts';
import { containersInOrder } from '../pod-actions/containers-in-time.ts';
import {
  ADMITTED,
  type Rejection,
  rejection,
  UNEXPECTED_ADMISSION_ERROR,
  type Verdict,
} from '../pods/verdict.ts';
import type { ResourceHints, TopologyHint } from './hint.ts';
import { type Merge, mergeHints } from './merge-hints.ts';
import type { TopologySetup } from './policy-options.ts';

/** Why a manager cannot give what a container asks for. `type` is the reason of the rejection, if it has one of its own. */
export interface AllocationFault {
  readonly error: string;
  readonly type?: string;
}

/** A manager of a resource: of CPUs, memory or devices. */
export interface HintProvider {
  hints(pod: AgentPod, container: Container): ResourceHints | undefined;
  /** For all containers of the pod together. */
  podHints(pod: AgentPod): ResourceHints | undefined;
  /** Gives the container what it asks for, by the hint that was found. Asked again for the same container it changes nothing. */
  allocate(pod: AgentPod, container: Container, hint: TopologyHint): AllocationFault | undefined;
}

/** What a pod or one of its containers asked for, and what came of it. */
export interface TopologyDecision extends Merge {
  /** Absent: the pod as a whole. */
  readonly container?: string;
  readonly asked: readonly (ResourceHints | undefined)[];
}

export interface TopologyAdmission {
  readonly verdict: Verdict;
  /** Hints by name of the container, of those that were reached. */
  readonly hints: Readonly<Record<string, TopologyHint>>;
  readonly decisions: readonly TopologyDecision[];
}

export const TOPOLOGY_AFFINITY_ERROR = 'TopologyAffinityError';

const APART = rejection(TOPOLOGY_AFFINITY_ERROR, 'Resources cannot be allocated with Topology locality');

const NO_HINT: TopologyHint = { isPreferred: false };

const rejectionOf = ({ error, type }: AllocationFault): Rejection =>
  type === undefined
    ? rejection(UNEXPECTED_ADMISSION_ERROR, `Allocate failed due to ${error}, which is unexpected`)
    : rejection(type, error);

const allocateAll = (
  providers: readonly HintProvider[],
  pod: AgentPod,
  container: Container,
  hint: TopologyHint,
): Rejection | undefined => {
  for (const provider of providers) {
    const fault = provider.allocate(pod, container, hint);
    if (fault) return rejectionOf(fault);
  }
  return undefined;
};

type Decide = (container: Container) => TopologyDecision;

const decideBy = (
  { policy, scope, numa }: TopologySetup,
  providers: readonly HintProvider[],
  pod: AgentPod,
): Decide => {
  if (scope === 'none') return () => ({ hint: NO_HINT, isAdmitted: true, asked: [] });
  if (scope === 'pod') {
    const asked = providers.map((provider) => provider.podHints(pod));
    const whole = { ...mergeHints(policy, numa, asked), asked };
    return () => whole;
  }
  return (container) => {
    const asked = providers.map((provider) => provider.hints(pod, container));
    return { ...mergeHints(policy, numa, asked), asked, container: container.name };
  };
};

/** Asks all managers where the pod could run, and lets them give what it asks for. What they gave before a rejection they keep. */
export const admitByTopology = (
  setup: TopologySetup,
  providers: readonly HintProvider[],
  pod: AgentPod,
): TopologyAdmission => {
  const hints: Record<string, TopologyHint> = {};
  const decisions = new Set<TopologyDecision>();
  const answer = (verdict: Verdict): TopologyAdmission => ({ verdict, hints, decisions: [...decisions] });
  const decide = decideBy(setup, providers, pod);
  for (const container of containersInOrder(pod)) {
    const decision = decide(container);
    decisions.add(decision);
    if (!decision.isAdmitted) return answer(APART);
    if (setup.scope !== 'none') hints[container.name] = decision.hint;
    const refused = allocateAll(providers, pod, container, decision.hint);
    if (refused) return answer(refused);
  }
  return answer(ADMITTED);
};
