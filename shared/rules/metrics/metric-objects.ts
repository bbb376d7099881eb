/** Objects of metrics.k8s.io. Source: metrics-server v0.8 `pkg/api`, `pkg/storage`. */

import { goDurationText } from '../../kube/text/go-duration.ts';
import type { Node, Pod } from '../../kube/types/core.ts';
import type { ApiObject, ObjectMeta } from '../../kube/types/meta.ts';
import { quantityOf, quantityText } from '../../kube/values/quantity.ts';
import { type EpochMs, toTime } from '../../kube/values/time.ts';
import { MIRROR_ANNOTATION } from '../pods/mirror-pod.ts';
import type { NodeUsage, PodUsage, Usage } from './node-usage.ts';

const METRICS_VERSION = 'metrics.k8s.io/v1beta1';
const NANO_PER_MS = 1_000_000n;

/** What was asked of a node, and when, by the control plane's clock. */
export interface Told {
  readonly usage: NodeUsage;
  readonly at: EpochMs;
}

const amounts = ({ cpuNanoCores, memoryBytes }: Omit<Usage, 'windowMs'>) => ({
  cpu: quantityText({ ...quantityOf(0, 'DecimalSI'), nano: BigInt(cpuNanoCores) }),
  memory: quantityText(quantityOf(memoryBytes, 'BinarySI')),
});

const metadataOf = ({ metadata }: ApiObject, at: EpochMs): ObjectMeta => {
  const { name, namespace, labels } = metadata;
  return {
    name,
    ...(namespace ? { namespace } : {}),
    creationTimestamp: toTime(at),
    ...(labels ? { labels } : {}),
  };
};

const windowText = (windowMs: number): string => goDurationText(BigInt(windowMs) * NANO_PER_MS);

const metricsOf = (
  kind: string,
  object: ApiObject,
  at: EpochMs,
  rest: object,
): ApiObject & { readonly timestamp: string } => ({
  kind,
  apiVersion: METRICS_VERSION,
  metadata: metadataOf(object, at),
  timestamp: toTime(at),
  ...rest,
});

/** `undefined`: the node has told nothing about itself. */
export const nodeMetrics = (node: Node, { usage, at }: Told): ApiObject | undefined => {
  const { node: own } = usage;
  return own && metricsOf('NodeMetrics', node, at, { window: windowText(own.windowMs), usage: amounts(own) });
};

/** The API's object of a static pod is a copy with another uid. */
const isOf = ({ metadata }: Pod, { uid }: PodUsage): boolean =>
  metadata.uid === uid || metadata.annotations?.[MIRROR_ANNOTATION] !== undefined;

/** `undefined`: the pod does not run, or its node has told nothing about it. A node is asked about its own pods only. */
export const podMetrics = (pod: Pod, { usage, at }: Told): ApiObject | undefined => {
  const told = usage.pods.get(`${pod.metadata.namespace ?? ''}/${pod.metadata.name}`);
  if (pod.status?.phase !== 'Running' || !told || !isOf(pod, told)) return undefined;
  const window = windowText(told.containers.reduce((most, { windowMs }) => Math.max(most, windowMs), 0));
  const containers = told.containers.map(({ name, ...used }) => ({ name, usage: amounts(used) }));
  return metricsOf('PodMetrics', pod, at, { window, containers });
};

/** Only nodes that are ready are asked: of others, each question would take as long as it may. */
export const isAsked = ({ status }: Node): boolean =>
  status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false;

/** `undefined`: its node has told nothing. `all`: what nodes have told, by name. */
export type MetricsOf<T> = (object: T, all: ReadonlyMap<string, Told>) => ApiObject | undefined;

/** What the node itself has told. */
export const metricsOfNode: MetricsOf<Node> = (node, all) => {
  const told = all.get(node.metadata.name);
  return told && nodeMetrics(node, told);
};

/** What the node of the pod has told. */
export const metricsOfPod: MetricsOf<Pod> = (pod, all) => {
  const told = all.get(pod.spec.nodeName ?? '');
  return told && podMetrics(pod, told);
};
