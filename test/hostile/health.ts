/** Whether an agent answers while pods try to keep it from that. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect } from 'vitest';
import type { Node } from '../../shared/kube/types/core.ts';
import type { AgentHere, ClusterHere } from '../support/agent/machines/cluster-here.ts';
import type { HealthFound, HealthTask } from './health-worker.ts';

/** The most time until an answer of an agent, without what the machine gave to other programs, ms. */
export const MOST_MS = 1_000;

/** Asks a port for its health from now on, until the result is called. */
export const askForHealth = (workerData: HealthTask): (() => Promise<HealthFound>) => {
  const worker = new Worker(new URL('health-worker.ts', import.meta.url), { workerData });
  return async () => {
    worker.postMessage('end');
    const [found] = (await once(worker, 'message')) as [HealthFound];
    await worker.terminate();
    return found;
  };
};

const portOf = ({ status }: Node): number => {
  const { kubeletEndpoint } = (status?.['daemonEndpoints'] ?? {}) as { kubeletEndpoint?: { Port: number } };
  return kubeletEndpoint?.Port ?? 0;
};

/** Asks for the health of the agent of a node from now on. The result ends that, and expects that each answer came in time. */
export const watchHealth = async (here: ClusterHere, agent: AgentHere): Promise<() => Promise<void>> => {
  const port = portOf(await here.host.get<Node>(`/api/v1/nodes/${agent.name}`));
  const end = askForHealth({ port, pid: agent.process().pid });
  return async () => {
    const { asked, longestMs, failures } = await end();
    process.stdout.write(`${agent.name}: health in at most ${longestMs.toFixed(0)} ms, ${asked} times\n`);
    expect(asked).toBeGreaterThan(0);
    expect(failures).toEqual([]);
    expect(longestMs).toBeLessThanOrEqual(MOST_MS);
  };
};
