/** The API's pods in memory, as far as an agent sees them. */

import type { PodApi } from '../../../../agent/ports/api/pod-api.ts';
import type { Clock } from '../../../../agent/ports/machine/clock.ts';
import type { AgentPod, AgentPodStatus } from '../../../../agent/rules/containers/agent-pod.ts';
import { applyStrategicMerge } from '../../../../shared/kube/patch/strategic-merge.ts';
import { schemaOf } from '../../../../shared/kube/schema/schema-of.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';

export interface FakePodApi extends PodApi {
  create(pod: AgentPod): void;
  /** As a DELETE by a user. */
  markDeleted(name: string, graceSeconds?: number): void;
  /** As a DELETE without grace: the pod is gone at once. */
  remove(name: string): void;
  pod(name: string): AgentPod | undefined;
  all(): readonly AgentPod[];
  /** All phases that a pod has had, in order. */
  phases(name: string): readonly string[];
  /** All statuses that a pod has had, in order. */
  statuses(name: string): readonly AgentPodStatus[];
  onChange: () => void;
}

export const createFakePodApi = (clock: Pick<Clock, 'now'>): FakePodApi => {
  const pods = new Map<string, AgentPod>();
  const statuses = new Map<string, AgentPodStatus[]>();
  const put = (pod: AgentPod): AgentPod => {
    const { name } = pod.metadata;
    pods.set(name, pod);
    statuses.set(name, [...(statuses.get(name) ?? []), pod.status ?? {}]);
    fake.onChange();
    return pod;
  };
  const remove = (name: string): void => {
    pods.delete(name);
    fake.onChange();
  };
  const fake: FakePodApi = {
    onChange: () => undefined,
    get: async (_namespace, name) => pods.get(name),
    patchStatus: async (_namespace, name, patch) => {
      const pod = pods.get(name);
      const { uid } = patch['metadata'] as { readonly uid?: string };
      if (!pod || pod.metadata.uid !== uid) throw new Error('Conflict');
      const merged = applyStrategicMerge({ ...pod }, patch, schemaOf('core.v1.Pod'));
      return put(merged as unknown as AgentPod);
    },
    delete: async (_namespace, name, uid) => {
      if (pods.get(name)?.metadata.uid !== uid) throw new Error('Conflict');
      remove(name);
    },
    create: (pod) => void put(pod),
    markDeleted: (name, graceSeconds) => {
      const pod = pods.get(name);
      if (!pod) return;
      put({
        ...pod,
        metadata: {
          ...pod.metadata,
          deletionTimestamp: toTime(clock.now()),
          deletionGracePeriodSeconds: graceSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30,
        },
      });
    },
    remove,
    pod: (name) => pods.get(name),
    all: () => [...pods.values()],
    phases: (name) => {
      const phases = (statuses.get(name) ?? []).map(({ phase = '' }) => phase);
      return phases.filter((phase, place) => phase !== phases[place - 1]);
    },
    statuses: (name) => statuses.get(name) ?? [],
  };
  return fake;
};
