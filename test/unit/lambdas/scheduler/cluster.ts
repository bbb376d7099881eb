/** Nodes and pods for tests of the scheduler, on a control plane in virtual time. */

import type { Node, Pod } from '../../../../shared/kube/types/core.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import { nodeKey } from '../../../../shared/ports/store/rows.ts';
import type { ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';

type Amounts = Readonly<Record<string, string>>;

export const podKey = (name: string) => ({ resource: 'pods', namespace: 'default', name });

export const addNode = async (
  plane: ControlPlane,
  name: string,
  allocatable: Amounts = {},
): Promise<void> => {
  const amounts = { cpu: '4', memory: '8Gi', pods: '110', ...allocatable };
  await plane.writer.write(nodeKey(name), (_, now) => {
    const next: Node = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, uid: `uid-of-${name}`, creationTimestamp: toTime(now) },
      spec: {},
      status: { allocatable: amounts, conditions: [{ type: 'Ready', status: 'True' }] },
    };
    return { next, writer: 'client' };
  });
};

export interface NewPod {
  readonly cpu?: string;
  readonly priority?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  /** ms after the present. */
  readonly createdAfterMs?: number;
}

export const addPod = async (plane: ControlPlane, name: string, given: NewPod = {}): Promise<void> => {
  const { cpu = '1', priority = 0, labels = {}, spec = {}, createdAfterMs = 0 } = given;
  await plane.writer.write(podKey(name), (_, now) => {
    const creationTimestamp = toTime(now + createdAfterMs);
    const next: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name,
        namespace: 'default',
        uid: `uid-of-${name}`,
        generation: 1,
        creationTimestamp,
        labels,
      },
      spec: {
        containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }],
        priority,
        terminationGracePeriodSeconds: 30,
        ...spec,
      },
      status: { phase: 'Pending' },
    };
    return { next, writer: 'client' };
  });
};

export const readPod = async (plane: ControlPlane, name: string): Promise<Pod | undefined> => {
  const row = await plane.state.objects.read(podKey(name));
  return row?.state === 'live' ? (row.object as Pod) : undefined;
};

/** The nodes of these pods; empty for a pod that waits. */
export const nodesOf = async (plane: ControlPlane, ...names: readonly string[]): Promise<readonly string[]> =>
  Promise.all(names.map(async (name) => (await readPod(plane, name))?.spec.nodeName ?? ''));

export const deletePod = async (plane: ControlPlane, name: string): Promise<void> => {
  await plane.writer.write(podKey(name), () => ({ next: 'delete', writer: 'client' }));
};

/** Stores that a sweep over all claims has ended, as it does in the first minute of a control plane. */
export const endSweep = async ({ state, clock }: ControlPlane): Promise<void> => {
  const ended = { version: 1, leaseUntil: 0, isClean: true, endedAt: clock.now(), isReconciled: true };
  await state.capacitySweep.store(ended);
};
