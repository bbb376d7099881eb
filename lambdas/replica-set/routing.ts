import { deepEqual } from '../../shared/api/deep-equal.ts';
import type { Workload } from '../../shared/api/defaults/workload.ts';
import { controllerOf } from '../../shared/domain/pods/disruption-budget.ts';
import { isNewOrphan, mattersToOwner } from '../../shared/domain/workloads/pod-relevance.ts';
import type { Outgoing, Routing } from '../controller.ts';
import { podOf, type Step } from '../step.ts';
import type { ReplicaSetMessage } from './message.ts';

type Messages = readonly Outgoing<ReplicaSetMessage>[];

const ownersOf = ({ key, before, after }: Step): Messages => {
  const references = [podOf(before), podOf(after)].flatMap((pod) => (pod && controllerOf(pod)) ?? []);
  const owners = new Map(
    references.filter(({ kind }) => kind === 'ReplicaSet').map((reference) => [reference.uid, reference]),
  );
  return [...owners.values()].map(({ name, uid }) => ({
    body: { v: 1, kind: 'owner', namespace: key.namespace, name, uid },
  }));
};

const ofPod = (step: Step): Messages => {
  const [before, after] = [podOf(step.before), podOf(step.after)];
  const { namespace, name } = step.key;
  const orphan = isNewOrphan(before, after)
    ? [{ body: { v: 1, kind: 'orphan', namespace, name, uid: step.uid } as const }]
    : [];
  return mattersToOwner(before, after) ? [...ownersOf(step), ...orphan] : orphan;
};

const asks = ({ metadata, spec }: Workload) => [spec, metadata.deletionTimestamp, metadata.generation];

const ofReplicaSet = ({ key, uid, before, after }: Step): Messages => {
  if (!after) return [];
  const { namespace, name } = key;
  const body = { v: 1, kind: 'owner', namespace, name, uid } as const;
  if (!before) return [{ body: { ...body, adopts: true } }];
  return deepEqual(asks(before.object), asks(after.object)) ? [] : [{ body }];
};

/** Messages for ReplicaSets that want something else, whose pods change, and for pods without controller. */
export const routing: Routing<ReplicaSetMessage> = {
  route: (step) => {
    if (step.key.resource === 'pods') return ofPod(step);
    return step.key.resource === 'replicasets' ? ofReplicaSet(step) : [];
  },
  resync: async () => [],
};
