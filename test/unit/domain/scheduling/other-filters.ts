/** The scheduler's filters that the recorded cases also need, as short as those cases allow. */
import type { Node, Pod } from '../../../../shared/api/core.ts';
import { taintsOf } from '../../../../shared/domain/nodes/taints.ts';
import { firstTolerating } from '../../../../shared/domain/pods/tolerations.ts';
import type { PlacementRefusal } from '../../../../shared/domain/scheduling/placement.ts';
import type { NodeAffinityMatch } from '../../../../shared/domain/scheduling/spread-constraint.ts';

interface Container {
  readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
  readonly ports?: readonly { readonly hostPort?: number }[];
}

const containersOf = ({ spec }: Pod) => (spec['containers'] ?? []) as readonly Container[];

const milli = (cpu = '0'): number => (cpu.endsWith('m') ? Number(cpu.slice(0, -1)) : Number(cpu) * 1000);

const cpuOf = (pod: Pod): number =>
  containersOf(pod).reduce((sum, { resources }) => sum + milli(resources?.requests?.['cpu']), 0);

const hostPortsOf = (pod: Pod): readonly number[] =>
  containersOf(pod).flatMap(({ ports = [] }) => ports.flatMap(({ hostPort }) => hostPort ?? []));

/** Whether a node meets the pod's node selector. */
export const selectsNode = ({ spec }: Pod): NodeAffinityMatch => {
  const selector = Object.entries((spec['nodeSelector'] ?? {}) as Readonly<Record<string, string>>);
  return ({ metadata }) => selector.every(([key, value]) => metadata.labels?.[key] === value);
};

const refusal = (reason: string, isResolvable: boolean): PlacementRefusal => ({
  reasons: [reason],
  isResolvable,
});

const isTainted = (pod: Pod, node: Node): boolean =>
  taintsOf(node).some(
    (taint) => taint.effect !== 'PreferNoSchedule' && !firstTolerating(pod.spec.tolerations ?? [], taint),
  );

/** Cordon, taints, node selector, host ports and cpu, in the scheduler's order. `present` are the pods on the node. */
export const otherRefusal = (pod: Pod, node: Node, present: readonly Pod[]): PlacementRefusal | undefined => {
  const capacity = milli(node.status?.allocatable?.['cpu']);
  const used = present.reduce((sum, other) => sum + cpuOf(other), 0);
  const ports = new Set(present.flatMap(hostPortsOf));
  if (node.spec?.unschedulable) return refusal('node(s) were unschedulable', false);
  if (isTainted(pod, node)) return refusal('node(s) had untolerated taint(s)', false);
  if (!selectsNode(pod)(node)) return refusal("node(s) didn't match Pod's node affinity/selector", false);
  if (hostPortsOf(pod).some((port) => ports.has(port)))
    return refusal("node(s) didn't have free ports for the requested pod ports", true);
  return used + cpuOf(pod) > capacity ? refusal('Insufficient cpu', cpuOf(pod) <= capacity) : undefined;
};
