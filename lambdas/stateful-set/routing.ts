import { mattersToOwner } from '../../shared/domain/workloads/pod-relevance.ts';
import { hasOrdinal } from '../../shared/domain/workloads/stateful-set-pods.ts';
import type { WorkloadMessage } from '../../shared/ports/messages.ts';
import type { Outgoing, Routing } from '../controller.ts';
import { ofOwner, orphansOf, ownersOf } from '../owner-routing.ts';
import { podOf, type Step } from '../step.ts';

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
};
