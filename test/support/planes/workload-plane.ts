// The control plane in virtual time, with pods that a kubelet would make ready.

import type { Event, Pod } from '../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import type { Workload } from '../../../shared/kube/types/workloads.ts';
import { toTime } from '../../../shared/kube/values/time.ts';
import type { ObjectKey } from '../../../shared/ports/store/rows.ts';
import { liveRow } from '../../../shared/ports/store/rows.ts';
import type { ControlPlaneOptions } from '../../../simulation/plane/control-plane-types.ts';
import { createMemoryControlPlane } from './control-plane.ts';

/** Makes a control plane whose objects all have their owner edges. */
export const aWorkloadPlane = async (options: ControlPlaneOptions = {}) => {
  const plane = createMemoryControlPlane(options);
  await plane.state.ownerEdges.complete();
  // The pods of these tests are on nodes that do not exist.
  plane.set('pod-gc', false);
  const { state, clock, writer } = plane;

  const keyOf = (resource: string, name: string): ObjectKey => ({ resource, namespace: 'default', name });
  const read = async <T extends ApiObject>(resource: string, name: string): Promise<T | undefined> =>
    liveRow(await state.objects.read(keyOf(resource, name)))?.object as T | undefined;
  const list = async <T extends ApiObject>(resource: string): Promise<readonly T[]> =>
    (await state.objects.page({ resource, namespace: 'default' })).rows.map(({ object }) => object as T);
  const put = (resource: string, object: ApiObject) =>
    writer.write(keyOf(resource, object.metadata.name), () => ({ next: object, writer: 'client' }));
  const change = <T extends ApiObject>(resource: string, name: string, to: (object: T) => T | 'delete') =>
    writer.write(keyOf(resource, name), (row) => {
      const stored = liveRow(row)?.object as T | undefined;
      return stored && { next: to(stored), writer: 'client' };
    });
  const pods = () => list<Pod>('pods');

  /** A user's change of the spec: the generation goes up. */
  const respec = (resource: string, name: string, spec: NonNullable<Workload['spec']>) =>
    change<Workload>(resource, name, (object) => ({
      ...object,
      metadata: { ...object.metadata, generation: (object.metadata.generation ?? 0) + 1 },
      spec: { ...object.spec, ...spec },
    }));

  /** Every active pod runs and is ready from now on, as kubelets would say. Pods that are being deleted go. */
  const kubelets = async (): Promise<void> => {
    for (const { metadata, status } of await pods()) {
      const isReady = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
      if (metadata.deletionTimestamp !== undefined) await change('pods', metadata.name, () => 'delete');
      else if (!isReady)
        await change<Pod>('pods', metadata.name, (pod) => ({
          ...pod,
          spec: { ...pod.spec, nodeName: pod.spec.nodeName ?? 'n1' },
          status: {
            ...pod.status,
            phase: 'Running',
            conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: toTime(clock.now()) }],
          },
        }));
    }
  };
  const eventsOf = async (): Promise<readonly string[]> => {
    const { rows } = await state.objects.page({ resource: 'events', namespace: '' });
    return rows.map(({ object }) => {
      const { involvedObject, type, reason, message, source } = object as Event;
      return `${involvedObject.kind}/${involvedObject.name} ${type} ${reason} ${message} (${source?.component})`;
    });
  };
  return { ...plane, read, list, put, change, respec, pods, kubelets, eventsOf };
};
