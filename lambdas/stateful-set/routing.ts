import type { WorkloadMessage } from '../../shared/ports/process/messages.ts';
import { mattersToOwner } from '../../shared/rules/workloads/children/pod-relevance.ts';
import { hasOrdinal } from '../../shared/rules/workloads/stateful-set/stateful-set-pods.ts';
import type { Outgoing, Routing } from '../contract/controller.ts';
import { mattersToOwners, ofOwner, orphansOf, ownersOf } from '../contract/owner-routing.ts';
import { podOf, type Step } from '../contract/step.ts';

const ofPod = (step: Step): readonly Outgoing<WorkloadMessage>[] => {
  const isNews = mattersToOwner(podOf(step.before), podOf(step.after));
  return [
    ...(isNews ? ownersOf(step, 'StatefulSet') : []),
    ...(hasOrdinal(step.key.name) ? orphansOf(step) : []),
  ];
};

/** Messages for StatefulSets that want something else, whose pods change, and for pods without controller that are called like theirs. */
export const routing: Routing<WorkloadMessage> = {
  route: (step) => {
    if (step.key.resource === 'pods') return ofPod(step);
    return step.key.resource === 'statefulsets' ? ofOwner(step) : [];
  },
  resync: async () => [],
  matters: mattersToOwners('statefulsets'),
};
