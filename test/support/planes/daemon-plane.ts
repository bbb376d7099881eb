// A control plane with DaemonSets, Nodes and what kubelets would say.

import type { Pod, PodSpec, Taint } from '../../../shared/kube/types/core.ts';
import type { Workload, WorkloadSpec } from '../../../shared/kube/types/workloads.ts';
import { toTime } from '../../../shared/kube/values/time.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { targetNode } from '../../../shared/rules/workloads/daemon-set/daemon-place.ts';
import type { ControlPlaneOptions } from '../../../simulation/plane/control-plane-types.ts';
import { aNode, ready } from '../objects/domain-objects.ts';
import { aWorkload } from '../objects/workload-objects.ts';
import { aWorkloadPlane } from './workload-plane.ts';

const ROLLING = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } };

/** A template with this image. */
export const templateOf = (image: string, spec: PodSpec = {}): WorkloadSpec => ({
  template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image }], ...spec } },
});

/** A DaemonSet `web` in the namespace `default`. */
export const aDaemonSet = (spec: WorkloadSpec = {}, name = 'web'): Workload => {
  const owner = aWorkload({ kind: 'DaemonSet', name, spec: { updateStrategy: ROLLING, ...spec } });
  const annotations = { 'deprecated.daemonset.template.generation': '1' };
  return { ...owner, metadata: { ...owner.metadata, annotations } };
};

export interface NodeLooks {
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
}

/** Makes a control plane with these ready nodes. */
export const aDaemonPlane = async (names: readonly string[] = [], options: ControlPlaneOptions = {}) => {
  const plane = await aWorkloadPlane(options);
  const { writer, clock } = plane;
  // Nobody beats for these nodes, and pods are bound by the test.
  for (const part of ['ticks', 'scheduler', 'flush'] as const) plane.set(part, false);
  const putNode = (name: string, looks: NodeLooks = {}) => {
    const next = aNode({ name, conditions: [ready('True', clock.now())], ...looks });
    return writer.write(nodeKey(name), () => ({ next, writer: 'client' }));
  };
  const dropNode = (name: string) =>
    writer.write(nodeKey(name), () => ({ next: 'delete', writer: 'client' }));
  for (const name of names) await putNode(name);

  /** The nodes of all pods that are not being deleted, sorted. */
  const places = async (): Promise<readonly string[]> =>
    (await plane.pods())
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map((pod) => targetNode(pod) ?? 'nowhere')
      .toSorted();
  /** Binds pods to their nodes and makes them run and be ready; those that are being deleted go. */
  const kubelets = async (): Promise<void> => {
    for (const pod of await plane.pods()) {
      const { name, deletionTimestamp } = pod.metadata;
      const nodeName = targetNode(pod);
      if (deletionTimestamp !== undefined) await plane.change('pods', name, () => 'delete');
      else if (nodeName !== undefined && pod.status?.phase === 'Pending')
        await plane.change<Pod>('pods', name, (one) => ({
          ...one,
          spec: { ...one.spec, nodeName },
          status: {
            ...one.status,
            phase: 'Running',
            conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: toTime(clock.now()) }],
          },
        }));
    }
  };
  /** Runs the control plane and its kubelets for some rounds of a second. */
  const rounds = async (count: number): Promise<void> => {
    for (let round = 0; round < count; round += 1) {
      await plane.run(1_000);
      await kubelets();
    }
    await plane.run(1_000);
  };
  const statusOf = async (name = 'web') => (await plane.read<Workload>('daemonsets', name))?.status;
  return { ...plane, putNode, dropNode, places, kubelets, rounds, statusOf };
};
