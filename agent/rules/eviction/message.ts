/** Why a pod is evicted, in the words of users. Source: kubernetes v1.34 pkg/kubelet/eviction `evictionMessage`. */
import type { Pod } from '../../../shared/kube/types/core.ts';
import { quantityOf, quantityText } from '../../../shared/kube/values/quantity.ts';
import type { Quantity } from '../../../shared/kube/values/quantity-parse.ts';
import type { Container } from '../../../shared/rules/scheduling/pods/scheduling-spec.ts';
import type { ContainerStats, PodStats } from '../stats/summary.ts';
import { availableQuantity, type Observations } from './observations.ts';
import { containersOf, quantityIn, wholeRequest } from './pod-spec.ts';
import { memoryUsage, writtenBytes } from './pod-usage.ts';
import { resourceOf, type StarvedResource } from './thresholds/signals.ts';
import { amountOf, type Threshold } from './thresholds/threshold.ts';

export type EvictionAnnotations = Readonly<Record<string, string>>;

export interface EvictionReason {
  readonly message: string;
  /** Annotations of the Event. */
  readonly annotations: EvictionAnnotations;
}

/** One who takes more than it asks for. */
interface Excess {
  readonly name: string;
  readonly usage: string;
  readonly sentence: string;
}

const bytes = (amount: number | undefined): Quantity | undefined =>
  amount === undefined ? undefined : quantityOf(amount, 'BinarySI');

const usageOf = (stats: ContainerStats, resource: StarvedResource): Quantity | undefined => {
  if (resource === 'memory') return bytes(stats.memory?.workingSetBytes);
  return resource === 'ephemeral-storage' ? bytes(writtenBytes(stats)) : undefined;
};

const NOTHING = quantityOf(0, 'BinarySI');

const excess = (
  who: 'Pod' | 'Container',
  name: string,
  usage: Quantity,
  request: Quantity,
  resource: StarvedResource,
): Excess => {
  const used = quantityText(usage);
  const sentence = `${who} ${name} was using ${used}, request is ${quantityText(request)}, has larger consumption of ${resource}. `;
  return { name, usage: used, sentence };
};

/** A pod that asks for memory as a whole is named whatever it uses. */
const podExcess = (pod: Pod, stats: PodStats, resource: StarvedResource): readonly Excess[] => {
  const request = wholeRequest(pod, resource);
  const usage = stats.memory && bytes(memoryUsage(stats));
  return request && usage ? [excess('Pod', pod.metadata.name ?? '', usage, request, resource)] : [];
};

const containerExcesses = (pod: Pod, stats: PodStats, resource: StarvedResource): readonly Excess[] => {
  const known = new Map(
    containersOf(pod).map((container): [string, Container] => [container.name ?? '', container]),
  );
  return (stats.containers ?? []).flatMap((one) => {
    const container = known.get(one.name);
    if (!container) return [];
    const request = quantityIn(container.resources?.requests, resource) ?? NOTHING;
    const usage = usageOf(one, resource);
    if (!usage || usage.nano <= request.nano) return [];
    return [excess('Container', one.name, usage, request, resource)];
  });
};

const thresholdSentence = (
  resource: StarvedResource,
  thresholds: readonly Threshold[],
  observations: Observations,
): string => {
  const met = thresholds.find(({ signal }) => resourceOf(signal) === resource && observations[signal]);
  const observation = met && observations[met.signal];
  if (!observation) return '';
  const threshold = quantityText(amountOf(met.value, observation.capacity));
  const available = quantityText(availableQuantity(met.signal, observation));
  return `Threshold quantity: ${threshold}, available: ${available}. `;
};

const joined = (list: readonly Excess[], member: 'name' | 'usage'): string =>
  list.map((one) => one[member]).join(',');

const annotationsOf = (
  pods: readonly Excess[],
  containers: readonly Excess[],
  resource: StarvedResource,
): EvictionAnnotations => ({
  ...(pods.length > 0 && {
    offending_pod: joined(pods, 'name'),
    offending_pod_usage: joined(pods, 'usage'),
  }),
  offending_containers: joined(containers, 'name'),
  offending_containers_usage: joined(containers, 'usage'),
  starved_resource: resource,
});

/** `thresholds` are those that are met. A pod without stats has no annotations. */
export const evictionReason = (
  resource: StarvedResource,
  pod: Pod,
  stats: PodStats | undefined,
  thresholds: readonly Threshold[],
  observations: Observations,
): EvictionReason => {
  const start = `The node was low on resource: ${resource}. ${thresholdSentence(resource, thresholds, observations)}`;
  if (!stats) return { message: start, annotations: {} };
  const pods = podExcess(pod, stats, resource);
  const containers = containerExcesses(pod, stats, resource);
  const sentences = [...pods, ...containers].map(({ sentence }) => sentence);
  return { message: start + sentences.join(''), annotations: annotationsOf(pods, containers, resource) };
};
