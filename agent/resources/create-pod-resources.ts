/** Gives containers CPUs, memory and swap, and keeps what it gave. Source: kubernetes v1.34 pkg/kubelet/cm `container_manager_linux.go`. */
import { optional } from '../../shared/kube/values/optional.ts';
import type { ResourceBounds } from '../ports/machine/runtime.ts';
import type { Log } from '../ports/machine/shutdown.ts';
import type { CheckpointStore, PodResources } from '../ports/pods/pod-resources.ts';
import type { AgentPod } from '../rules/containers/agent-pod.ts';
import type { Container } from '../rules/containers/container.ts';
import { containerSwap, type SwapNode } from '../rules/memory/container-swap.ts';
import { containersInOrder } from '../rules/pod-actions/containers-in-time.ts';
import { admitByTopology } from '../rules/topology/admit-pod.ts';
import { refusalNote } from '../rules/topology/refusal-note.ts';
import { toldDecisions } from '../rules/topology/tell-decisions.ts';
import { createCpuManager } from './cpu-manager.ts';
import { createMemoryManager } from './memory-manager.ts';
import { ownedBy } from './owners.ts';
import type { ResourceSetup } from './resource-setup.ts';

const uidOf = ({ metadata }: AgentPod): string => metadata.uid ?? '';

const swapOf = (swap: SwapNode, pod: AgentPod, container: Container): ResourceBounds => {
  const { swapMaxBytes } = containerSwap(swap, pod, container);
  return swapMaxBytes === undefined ? {} : { swapMaxBytes };
};

const podSwap = (swap: SwapNode, pod: AgentPod): ResourceBounds => {
  const all = containersInOrder(pod).flatMap((one) => swapOf(swap, pod, one).swapMaxBytes ?? []);
  return all.length === 0 ? {} : { swapMaxBytes: all.reduce((sum, bytes) => sum + bytes, 0) };
};

const withoutQuota = (bounds: ResourceBounds): ResourceBounds => {
  const { cpuLimitMilli: _, ...rest } = bounds;
  return rest;
};

/** Throws a `ResourceFault` if what an agent before this one gave does not fit the machine or the configuration. */
export const createPodResources = (setup: ResourceSetup, store: CheckpointStore, log: Log): PodResources => {
  const cpus = createCpuManager(store, setup.cpus);
  const memory = createMemoryManager(store, setup.memory);
  const callbacks = new Set<() => void>();
  const changed = (): void => {
    for (const callback of callbacks) callback();
  };
  /** A container that has CPUs for itself needs no bound of its time. Gate `DisableCPUQuotaWithExclusiveCPUs`. */
  const isUnbounded = (pod: AgentPod, { name }: Container): boolean =>
    setup.dropsQuota && cpus.isExclusive(uidOf(pod), name);
  return {
    ...(setup.cpus && { bindPeriodMs: setup.bindPeriodMs }),
    admit: (pod) => {
      const { verdict, decisions } = admitByTopology(setup.topology, [cpus, memory], pod);
      if (!verdict.admit && setup.topology.scope !== 'none')
        log(
          `pod ${pod.metadata.namespace ?? ''}/${pod.metadata.name}: ${verdict.message}: ${toldDecisions(decisions)}`,
        );
      changed();
      if (verdict.admit) return verdict;
      return { ...verdict, ...optional('note', refusalNote(setup.topology, decisions)) };
    },
    containerBounds: (pod, container, bounds) => {
      const own = cpus.cpusOf(uidOf(pod), container.name);
      const nodes = memory.nodesOf(uidOf(pod), container.name);
      return {
        ...(isUnbounded(pod, container) ? withoutQuota(bounds) : bounds),
        ...(own !== undefined && { cpus: own }),
        ...(nodes !== undefined && { memoryNodes: nodes }),
        ...swapOf(setup.swap, pod, container),
      };
    },
    podBounds: (pod, bounds) => ({
      ...(containersInOrder(pod).some((one) => isUnbounded(pod, one)) ? withoutQuota(bounds) : bounds),
      ...podSwap(setup.swap, pod),
    }),
    onStarted: memory.onStarted,
    keepOnly: (pods) => {
      const owned = ownedBy(pods);
      cpus.keepOnly(owned);
      memory.keepOnly(owned);
    },
    cpusOf: cpus.cpusOf,
    onChange: (callback) => {
      callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
  };
};
