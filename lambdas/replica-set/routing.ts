import { mattersToOwner } from '../../shared/domain/workloads/pod-relevance.ts';
import type { WorkloadMessage } from '../../shared/ports/messages.ts';
import type { Outgoing, Routing } from '../controller.ts';
import { ofOwner, orphansOf, ownersOf } from '../owner-routing.ts';
import { podOf, type Step } from '../step.ts';

const ofPod = (step: Step): readonly Outgoing<WorkloadMessage>[] => {
  const isNews = mattersToOwner(podOf(step.before), podOf(step.after));
  return [...(isNews ? ownersOf(step, 'ReplicaSet') : []), ...orphansOf(step)];
};

/** Messages for ReplicaSets that want something else, whose pods change, and for pods without controller. */
export const routing: Routing<WorkloadMessage> = {
  route: (step) => {
    if (step.key.resource === 'pods') return ofPod(step);
    return step.key.resource === 'replicasets' ? ofOwner(step) : [];
  },
  resync: async () => [],
};
