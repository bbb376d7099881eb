/** What a node tells about itself and its pods. It is the word of a node: everything is checked. */
import { isObject } from '../../kube/json/json-object.ts';

/** An average over the window, and the bytes at its end. */
export interface Usage {
  /** Thousand-millionths of a core. */
  readonly cpuNanoCores: number;
  readonly memoryBytes: number;
  readonly windowMs: number;
}

/** What a container uses. */
export interface ContainerUsage extends Usage {
  readonly name: string;
}

/** What the containers of a pod use. */
export interface PodUsage {
  readonly uid: string;
  readonly containers: readonly ContainerUsage[];
}

/** What a node uses, and each of its pods. */
export interface NodeUsage {
  /** Absent: the node has not measured itself twice yet. */
  readonly node?: Usage;
  /** By `namespace/name`. */
  readonly pods: ReadonlyMap<string, PodUsage>;
}

/** The period in which a kubelet measures. Source: kubernetes v1.34, cadvisor `HousekeepingInterval`. */
const KUBELET_WINDOW_MS = 10_000;

const amountIn = (value: unknown, member: string): number | undefined => {
  const amount = isObject(value) ? value[member] : undefined;
  return Number.isSafeInteger(amount) && Number(amount) >= 0 ? Number(amount) : undefined;
};

const textIn = (value: unknown, member: string): string | undefined => {
  const text = isObject(value) ? value[member] : undefined;
  return typeof text === 'string' && text !== '' ? text : undefined;
};

const listIn = (value: unknown, member: string): readonly unknown[] => {
  const list: unknown = isObject(value) ? value[member] : undefined;
  return Array.isArray(list) ? list : [];
};

const usageIn = (stats: unknown): Usage | undefined => {
  const { cpu, memory } = isObject(stats) ? stats : {};
  const cpuNanoCores = amountIn(cpu, 'usageNanoCores');
  const memoryBytes = amountIn(memory, 'workingSetBytes');
  if (cpuNanoCores === undefined || memoryBytes === undefined) return undefined;
  return { cpuNanoCores, memoryBytes, windowMs: amountIn(cpu, 'windowMs') ?? KUBELET_WINDOW_MS };
};

/** `undefined`: one of the containers has not been measured twice yet, so that the sum would be too small. */
const containersIn = (pod: unknown): readonly ContainerUsage[] | undefined => {
  const all = listIn(pod, 'containers').map((one) => {
    const [name, usage] = [textIn(one, 'name'), usageIn(one)];
    return name === undefined || !usage ? undefined : { name, ...usage };
  });
  const known = all.filter((one) => one !== undefined);
  return known.length > 0 && known.length === all.length ? known : undefined;
};

/** A pod of a Summary with its name; empty if it is none, or is not measured yet. */
export const podUsageIn = (pod: unknown): readonly (readonly [string, PodUsage])[] => {
  const ref = isObject(pod) ? pod['podRef'] : undefined;
  const [namespace, name, uid] = ['namespace', 'name', 'uid'].map((member) => textIn(ref, member));
  const containers = containersIn(pod);
  if (namespace === undefined || name === undefined || uid === undefined || !containers) return [];
  return [[`${namespace}/${name}`, { uid, containers }]];
};

/** Reads a Summary, as kubelets and agents answer it; `undefined` if it is none. */
export const nodeUsageIn = (summary: unknown): NodeUsage | undefined => {
  if (!isObject(summary) || !isObject(summary['node'])) return undefined;
  const node = usageIn(summary['node']);
  return { ...(node && { node }), pods: new Map(listIn(summary, 'pods').flatMap(podUsageIn)) };
};
