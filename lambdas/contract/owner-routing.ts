/** Which changes send messages to the controller of a kind of owner, such as ReplicaSets. */

import { deepEqual } from '../../shared/kube/json/deep-equal.ts';
import type { Workload } from '../../shared/kube/types/workloads.ts';
import { controllerOf } from '../../shared/kube/values/controller-of.ts';
import type { WorkloadMessage } from '../../shared/ports/process/messages.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { isNewOrphan } from '../../shared/rules/workloads/children/pod-relevance.ts';
import type { Outgoing, RoutingFacts } from './controller.ts';
import type { Step } from './step.ts';

type Messages = readonly Outgoing<WorkloadMessage>[];

const controllersOf = (rows: readonly (LiveRow | undefined)[], kind: string) => {
  const references = rows.flatMap((row) => (row && controllerOf(row.object)) ?? []);
  return references.filter((reference) => reference.kind === kind);
};

/** A message for each owner of this kind that controls the child, or did before. */
export const ownersOf = ({ key, before, after }: Step, kind: string): Messages => {
  const owners = new Map(controllersOf([before, after], kind).map((reference) => [reference.uid, reference]));
  return [...owners.values()].map(({ name, uid }) => ({
    body: { v: 1, kind: 'owner', namespace: key.namespace, name, uid },
  }));
};

/** A message for a child without controller that an owner may have to adopt. */
export const orphansOf = ({ key, uid, before, after }: Step): Messages =>
  isNewOrphan(before?.object, after?.object)
    ? [{ body: { v: 1, kind: 'orphan', namespace: key.namespace, name: key.name, uid } }]
    : [];

const asks = ({ metadata, spec }: Workload) => [spec, metadata.deletionTimestamp, metadata.generation];

/** A message for an owner that is new (it looks for children to adopt), or wants something else. */
export const ofOwner = ({ key, uid, before, after }: Step): Messages => {
  if (!after) return [];
  const { namespace, name } = key;
  const body = { v: 1, kind: 'owner', namespace, name, uid } as const;
  if (!before) return [{ body: { ...body, adopts: true } }];
  return deepEqual(asks(before.object), asks(after.object)) ? [] : [{ body }];
};

/** Messages about an owner matter. Others ask which owner wants a pod or a node, so they need a resource with one: a later one looks at all. */
export const mattersToOwners =
  (resource: string) =>
  ({ body }: Outgoing<{ readonly kind: string }>, { mayHave }: RoutingFacts): boolean =>
    body.kind === 'owner' || mayHave(resource);
