import type { PodSpec } from '../types/core.ts';
import { parseQuantity } from '../values/quantity-parse.ts';

type Amounts = Readonly<Record<string, string>>;

interface Resources {
  readonly limits?: Amounts | undefined;
  readonly requests?: Amounts | undefined;
}

interface Container {
  readonly resources?: Resources | null;
}

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const COMPUTE = ['cpu', 'memory'] as const;

const listOf = (value: unknown): readonly Container[] => (Array.isArray(value) ? (value as Container[]) : []);

/** What decides: the resources of the pod as a whole, else those of its containers. Gate `PodLevelResources`, on in v1.34. */
const decisiveOf = (spec: PodSpec): readonly Resources[] => {
  const whole = spec['resources'] as Resources | null | undefined;
  if (whole) return [whole];
  const containers = [...listOf(spec['containers']), ...listOf(spec['initContainers'])];
  return containers.map(({ resources }) => resources ?? {});
};

/** In billionths; 0 if there is none. */
const amountOf = (list: Amounts | undefined, name: string): bigint => {
  const text = list?.[name];
  const quantity = text === undefined ? undefined : parseQuantity(text);
  return quantity === undefined || 'error' in quantity || quantity.nano < 0n ? 0n : quantity.nano;
};

const sumOf = (lists: readonly (Amounts | undefined)[], name: string): bigint =>
  lists.reduce((sum, list) => sum + amountOf(list, name), 0n);

/**
 * Computes the class from the defaulted cpu and memory; an amount of zero counts as none. Source: kubernetes v1.34
 * `ComputePodQOS`.
 */
export const qosClassOf = (spec: PodSpec): QosClass => {
  const resources = decisiveOf(spec);
  const limits = resources.map((one) => one.limits);
  const requests = resources.map((one) => one.requests);
  const isNothing = COMPUTE.every((name) => sumOf(limits, name) === 0n && sumOf(requests, name) === 0n);
  if (isNothing) return 'BestEffort';
  const isLimited = limits.every((list) => COMPUTE.every((name) => amountOf(list, name) > 0n));
  const isEqual = COMPUTE.every((name) => sumOf(limits, name) === sumOf(requests, name));
  return isLimited && isEqual ? 'Guaranteed' : 'Burstable';
};

/** The class that the API server has written into the status; else the computed one. Source: kubernetes v1.34 `GetPodQOS`. */
export const podQosClass = ({
  spec,
  status,
}: {
  readonly spec: PodSpec;
  readonly status?: Readonly<Record<string, unknown>>;
}): QosClass => (status?.['qosClass'] as QosClass | undefined) ?? qosClassOf(spec);
