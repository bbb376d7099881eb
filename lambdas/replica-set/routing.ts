import type { WorkloadMessage } from '../../shared/ports/process/messages.ts';
import { mattersToOwner } from '../../shared/rules/workloads/children/pod-relevance.ts';
import type { Outgoing, Routing } from '../contract/controller.ts';
import { mattersToOwners, ofOwner, orphansOf, ownersOf } from '../contract/owner-routing.ts';
import { podOf, type Step } from '../contract/step.ts';

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
  matters: mattersToOwners('replicasets'),
};
