/** A node without a container runtime: its pods wait, and those that are deleted may go at once, because nothing of them has run. */
import type { NodeWork } from '../domain/work/node-work.ts';
import type { AgentPods } from '../ports/agent-pods.ts';
import type { NodeFacts } from '../ports/node-facts.ts';
import type { PodApi } from '../ports/pod-api.ts';

const FACTS: NodeFacts = {
  health: () => ({
    pressures: { MemoryPressure: false, DiskPressure: false, PIDPressure: false },
    ...{ runtimeErrors: [], networkErrors: [], storageErrors: [], shutdownErrors: [] },
  }),
  devices: () => ({ capacity: {}, allocatable: {}, removed: [] }),
  volumes: () => ({ inUse: [], isSynced: true }),
  runtime: async () => ({ type: 'none', version: '0', handlers: [] }),
  images: async () => [],
};

const confirmDeletions = async ({ pods }: NodeWork, api: Pick<PodApi, 'delete'>): Promise<void> => {
  for (const { metadata } of pods)
    if (metadata.deletionTimestamp !== undefined)
      await api.delete(metadata.namespace ?? '', metadata.name, metadata.uid ?? '');
};

export const createPodsWithoutRuntime = ({ api }: { readonly api: Pick<PodApi, 'delete'> }): AgentPods => ({
  facts: FACTS,
  probe: async () => undefined,
  run: async () => undefined,
  apply: (work) => confirmDeletions(work, api),
  followsObjects: () => false,
  abandon: async () => undefined,
});
