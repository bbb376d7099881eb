/** How much memory of its own a container or a pod asks for. Source: kubernetes v1.34 memorymanager `getRequestedResources`. */
import { podQosClass } from '../../../shared/kube/defaults/qos-class.ts';
import { NANO, parseQuantity } from '../../../shared/kube/values/quantity-parse.ts';
import type { AgentPod } from '../containers/agent-pod.ts';
import type { Container } from '../containers/container.ts';
import { mostAtOnce } from '../pod-actions/containers-in-time.ts';
import { hasPodResources } from '../pods/pod-resources.ts';

/** Bytes by kind of memory. */
export type MemoryWish = Readonly<Record<string, number>>;

export const isMemory = (resource: string): boolean =>
  resource === 'memory' || resource.startsWith('hugepages-');

/** Whether containers of the pod get memory of their own. */
export const isGivenMemory = (pod: AgentPod): boolean =>
  podQosClass(pod) === 'Guaranteed' && !hasPodResources(pod);

const bytesOf = (text: string): number | undefined => {
  const parsed = parseQuantity(text);
  if ('error' in parsed || parsed.nano % NANO !== 0n) return undefined;
  return Number(parsed.nano / NANO);
};

/** `undefined`: an amount is no whole number of bytes. */
export const memoryWish = ({ resources }: Container): MemoryWish | undefined => {
  const wish: Record<string, number> = {};
  for (const [resource, text] of Object.entries(resources?.requests ?? {})) {
    if (!isMemory(resource)) continue;
    const bytes = bytesOf(text);
    if (bytes === undefined) return undefined;
    wish[resource] = bytes;
  }
  return wish;
};

/** What its containers have at the same time, of the kinds that main containers ask for. */
export const memoryWishOfPod = (pod: AgentPod): MemoryWish | undefined => {
  const { initContainers = [], containers } = pod.spec;
  const wishes = new Map([...initContainers, ...containers].map((one) => [one, memoryWish(one)]));
  if ([...wishes.values()].includes(undefined)) return undefined;
  const kinds = new Set(containers.flatMap((container) => Object.keys(wishes.get(container) ?? {})));
  return Object.fromEntries(
    [...kinds].map((kind) => [kind, mostAtOnce(pod.spec, (container) => wishes.get(container)?.[kind] ?? 0)]),
  );
};
