import { type Cluster, NODES, PODS, type PodOptions } from '../cluster.ts';
import type { Scenario } from '../scenario.ts';

const HELD = ['example.com/f'];

/** The recorded controller runs each 20 s, at any phase of the scenario. */
const PERIOD = { watched: ['Pod', 'event'], tolerance: 20 } as const;

/** Pods on the node, each more than a second younger than the one before. */
const addInTurn = async (cluster: Cluster, pods: Readonly<Record<string, PodOptions>>): Promise<void> => {
  for (const [name, options] of Object.entries(pods)) {
    await cluster.addPod(name, 'n1', options);
    await cluster.pause(1.1);
  }
};

const overThreshold: Scenario = {
  ...PERIOD,
  settings: ['--terminated-pod-gc-threshold', '3'],
  play: async (cluster) => {
    await cluster.addNode('n1');
    await addInTurn(cluster, { 'old-succeeded': { phase: 'Succeeded' } });
    await cluster.addPod('running', 'n1');
    await cluster.addPod('pending', 'n1', { isPending: true });
    await cluster.addPod('unknown', 'n1', { phase: 'Unknown' });
    await addInTurn(cluster, {
      'failed-2': { phase: 'Failed' },
      'with-finalizer': { phase: 'Succeeded', finalizers: HELD },
      'newest-1': { phase: 'Succeeded' },
      'newest-2': { phase: 'Failed' },
    });
    await cluster.addPod('evicted', 'n1', { phase: 'Failed', reason: 'Evicted' });
    await cluster.pause(0.4);
    cluster.begin();
    await cluster.until(32);
  },
};

const orphans: Scenario = {
  ...PERIOD,
  play: async (cluster) => {
    await cluster.addNode('back');
    await cluster.addPod('on-back', 'back');
    await cluster.addPod('running', 'ghost');
    await cluster.addPod('pending', 'ghost', { isPending: true });
    await cluster.addPod('succeeded', 'ghost', { phase: 'Succeeded' });
    await cluster.addPod('with-finalizer', 'ghost', { finalizers: HELD });
    await cluster.addPod('terminating', 'ghost');
    await cluster.api.delete(`${PODS}/terminating`);
    await cluster.addPod('tolerates-all', 'ghost', { spec: { tolerations: [{ operator: 'Exists' }] } });
    await cluster.api.delete(`${NODES}/back`);
    cluster.begin();
    await cluster.until(25);
    await cluster.addNode('back');
    await cluster.until(60);
  },
};

export const POD_GC = { P1: overThreshold, P2: orphans };
