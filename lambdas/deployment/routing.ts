import { controllerOf } from '../../shared/kube/values/controller-of.ts';
import type { WorkloadMessage } from '../../shared/ports/process/messages.ts';
import type { Outgoing, Routing } from '../contract/controller.ts';
import { ofOwner, orphansOf, ownersOf } from '../contract/owner-routing.ts';
import type { Step } from '../contract/step.ts';

/** With `Recreate` the last old pod that goes lets new ones come. The status of its ReplicaSet does not count it any more. */
const ofGonePod = ({ key, before, after }: Step): readonly Outgoing<WorkloadMessage>[] => {
  const owner = before && !after ? controllerOf(before.object) : undefined;
  if (owner?.kind !== 'ReplicaSet') return [];
  return [{ body: { v: 1, kind: 'orphan', namespace: key.namespace, name: owner.name, uid: owner.uid } }];
};

/** Messages for Deployments that want something else or whose ReplicaSets change, and for ReplicaSets without controller. */
export const routing: Routing<WorkloadMessage> = {
  route: (step) => {
    if (step.key.resource === 'replicasets') return [...ownersOf(step, 'Deployment'), ...orphansOf(step)];
    if (step.key.resource === 'pods') return ofGonePod(step);
    return step.key.resource === 'deployments' ? ofOwner(step) : [];
  },
  resync: async () => [],
};
