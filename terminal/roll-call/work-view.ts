/** Reads what the roll call shows of workloads: how many replicas are ready, and which pods wait for a node. */

import { printable } from '../../shared/kube/text/printable.ts';
import type { Pod } from '../../shared/kube/types/core.ts';
import type { Workload } from '../../shared/kube/types/workloads.ts';
import { controllerOf } from '../../shared/kube/values/controller-of.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { WaitingPod, WorkLine, WorkView } from '../../shared/rules/roll-call/roll-call.ts';

/** Most workloads of a kind, and most waiting pods, that are read. */
const MOST = 100;

/** What reading needs. */
export interface WorkDeps {
  readonly objects: Pick<ObjectStore, 'page' | 'unboundPods'>;
}

type Counts = readonly [wanted: number | undefined, ready: unknown];

const KINDS: readonly (readonly [resource: string, kind: string, counts: (one: Workload) => Counts])[] = [
  ['deployments', 'deployment', ({ spec, status }) => [spec?.replicas, status?.['readyReplicas']]],
  ['statefulsets', 'statefulset', ({ spec, status }) => [spec?.replicas, status?.['readyReplicas']]],
  [
    'daemonsets',
    'daemonset',
    ({ status }) => [Number(status?.['desiredNumberScheduled'] ?? 0), status?.['numberReady']],
  ],
  ['replicasets', 'replicaset', ({ spec, status }) => [spec?.replicas, status?.['readyReplicas']]],
];

const linesOf = async (
  { objects }: WorkDeps,
  [resource, kind, counts]: (typeof KINDS)[number],
): Promise<readonly WorkLine[]> => {
  const { rows } = await objects.page({ resource, namespace: '', limit: MOST });
  const owners = rows.filter(({ object }) => controllerOf(object) === undefined);
  return owners.map(({ key, object }) => {
    const [wanted = 1, ready = 0] = counts(object);
    return {
      kind,
      namespace: printable(key.namespace),
      name: printable(key.name),
      wanted,
      ready: Number(ready),
    };
  });
};

const reasonOf = ({ status }: Pod): string =>
  status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message ?? '';

const waitingPods = async ({ objects }: WorkDeps): Promise<readonly WaitingPod[]> => {
  for await (const { value } of objects.unboundPods()) {
    const refused = value.map(({ object }) => object as Pod).filter((pod) => reasonOf(pod) !== '');
    if (refused.length > 0)
      return refused
        .slice(0, MOST)
        .map((pod) => ({ name: printable(pod.metadata.name), reason: printable(reasonOf(pod)) }));
  }
  return [];
};

/** Reads workloads that belong to nobody else, and pods that wait for a node. */
export const readWork = async (deps: WorkDeps): Promise<WorkView> => ({
  work: (await Promise.all(KINDS.map((kind) => linesOf(deps, kind)))).flat(),
  waitingPods: await waitingPods(deps),
});
