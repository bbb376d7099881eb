import type { AgentPod, AgentPodStatus, PodCondition } from '../../../agent/rules/containers/agent-pod.ts';
import type { ContainerStatus } from '../../../agent/rules/containers/container-status.ts';
import { illegalTransition } from '../../../agent/rules/pod-actions/kept-status.ts';
import { containersReady, podInitialized, podReady } from '../../../agent/rules/pod-status/conditions.ts';
import { phaseOf } from '../../../agent/rules/pod-status/pod-phase.ts';
import { mergedStatus } from '../../../agent/rules/pod-status/status-merge.ts';
import { isActivePod } from '../../../agent/rules/pods/active-pods.ts';
import { canBeDeleted } from '../../../agent/rules/pods/deletion-confirmed.ts';
import { podGrace } from '../../../agent/rules/pods/grace.ts';
import type { PodPhase } from '../../../shared/kube/types/core.ts';
import type { ConditionStatus } from '../../../shared/kube/types/meta.ts';
import { MIRROR_ANNOTATION } from '../../../shared/rules/pods/mirror-pod.ts';
import { type Replays, replay } from '../replay.ts';

interface PhaseRow {
  readonly pod: AgentPod;
  readonly containerStatuses: readonly ContainerStatus[];
  readonly podIsTerminal: boolean;
  readonly podHasInitialized: boolean;
}

interface DeletableRow {
  readonly apiPhase: PodPhase | '';
  readonly deletionTimestamp: boolean;
  readonly finished: boolean;
  readonly mirror: boolean;
}

interface ActiveRow {
  readonly apiPhase: PodPhase | '';
  readonly localPhase: PodPhase | '';
  readonly terminationRequested: boolean;
  readonly knownTerminated: boolean;
}

interface GraceRow {
  readonly current: number;
  readonly specGrace: number | null;
  readonly deletionGrace: number | null;
  readonly override: number | null;
}

interface TransitionRow {
  readonly pod: AgentPod;
  readonly old: AgentPodStatus;
  readonly new: AgentPodStatus;
}

interface ConditionsRow {
  readonly pod: AgentPod;
  readonly containerStatuses: readonly ContainerStatus[] | null;
  readonly conditions: readonly (readonly [string, ConditionStatus])[];
  readonly phase: PodPhase;
}

interface MergeRow {
  readonly old: AgentPodStatus;
  readonly new: AgentPodStatus;
  readonly generation: number;
  readonly couldHaveRunningContainers: boolean;
}

const NOW = '<transition=now>';

const podOf = (metadata: Partial<AgentPod['metadata']>, spec: Partial<AgentPod['spec']> = {}): AgentPod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', ...metadata },
  spec: { containers: [], ...spec },
});

/** A table marks a time of now in the message, and leaves the time out. */
const markedNow = ({ lastTransitionTime, ...condition }: PodCondition): PodCondition =>
  lastTransitionTime === NOW
    ? { ...condition, message: NOW }
    : { ...condition, ...(lastTransitionTime && { lastTransitionTime }) };

export const TABLES: Replays = {
  'pod-phase': replay(({ pod, containerStatuses, podIsTerminal, podHasInitialized }: PhaseRow) =>
    phaseOf(pod, {
      statuses: containerStatuses,
      isTerminal: podIsTerminal,
      isInitialized: podHasInitialized,
    }),
  ),
  'pod-conditions': replay(({ pod, containerStatuses, conditions, phase }: ConditionsRow) => {
    const given = conditions.map(([type, status]) => ({ type, status }));
    const statuses = containerStatuses ?? undefined;
    return {
      containersReady: containersReady(pod, statuses, phase),
      ready: podReady(pod, given, statuses, phase),
      initialized: podInitialized(pod, statuses, phase),
    };
  }),
  'pod-status-merge': replay(({ old, new: next, generation, couldHaveRunningContainers }: MergeRow) => {
    const merged = mergedStatus(podOf({ generation }), {
      old,
      next,
      mayRun: couldHaveRunningContainers,
      now: NOW,
    });
    return { ...merged, conditions: merged.conditions?.map(markedNow) };
  }),
  'pod-can-be-deleted': replay(({ apiPhase, deletionTimestamp, finished, mirror }: DeletableRow) => {
    const pod = podOf({
      ...(deletionTimestamp && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      ...(mirror && { annotations: { [MIRROR_ANNOTATION]: 'hash' } }),
    });
    return canBeDeleted({ ...pod, ...(apiPhase && { status: { phase: apiPhase } }) }, finished);
  }),
  'pod-container-transition': replay(
    ({ pod, old, new: next }: TransitionRow) => illegalTransition(pod.spec, old, next) ?? null,
  ),
  'pod-active': replay(({ apiPhase, localPhase, terminationRequested, knownTerminated }: ActiveRow) =>
    isActivePod({
      apiPhase: apiPhase || undefined,
      localPhase: localPhase || undefined,
      isEnding: terminationRequested,
      hasEnded: knownTerminated,
    }),
  ),
  'pod-grace': replay(({ current, specGrace, deletionGrace, override }: GraceRow) => {
    const pod = podOf(
      deletionGrace === null ? {} : { deletionGracePeriodSeconds: deletionGrace },
      specGrace === null ? {} : { terminationGracePeriodSeconds: specGrace },
    );
    const { seconds, isShortened } = podGrace(pod, current, override ?? undefined);
    return { grace: seconds, shortened: isShortened };
  }),
};
