/** An agent from its one file on this machine, with a host of its own, for the bench. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleAgent } from '../../../bundling/agent-file.ts';
import {
  type AgentProcess,
  joinWords,
  killPods,
  removeGroupsAndMounts,
  startAgent,
} from '../../support/agent/machines/agent-process.ts';
import { eventually } from '../../support/clocks/eventually.ts';
import { type HostProcess, startHostProcess } from '../../support/servers/host-process.ts';

export const NODE = 'bench';
export const PODS = '/api/v1/namespaces/default/pods';
const PATIENCE_MS = 180_000;

export interface AgentBench {
  readonly host: HostProcess;
  readonly agent: AgentProcess;
  /** Resolves when so many pods are ready. */
  ready(count: number): Promise<void>;
}

const isReady = (pod: Awaited<ReturnType<HostProcess['pods']>>[number]): boolean =>
  pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

/** Runs the work with them, and ends them afterwards with all pods. */
export const withAgent = async <T>(work: (bench: AgentBench) => Promise<T>): Promise<T> => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-agent-bench-'));
  const root = join(folder, 'root');
  mkdirSync(root, { mode: 0o700 });
  writeFileSync(join(root, 'kubelet.yaml'), `podLogsDir: ${join(root, 'logs')}\n`);
  const file = await bundleAgent(join(folder, 'made'));
  const host = await startHostProcess(join(folder, 'host'));
  const own = ['--root-dir', root, '--config', join(root, 'kubelet.yaml'), '--hostname-override', NODE];
  const words = [...(await joinWords(join(folder, 'host'))), ...own];
  const agent = startAgent(words, { command: [process.execPath, file] });
  const ready = async (count: number): Promise<void> => {
    await eventually(
      `${count} pods are ready`,
      PATIENCE_MS,
      async () => (await host.pods()).filter(isReady).length >= count,
      { seen: agent.output },
    );
  };
  try {
    return await work({ host, agent, ready });
  } finally {
    await agent.end('SIGTERM');
    await killPods(root);
    await removeGroupsAndMounts(root);
    await host.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

/** A pod of one container that writes a line now and then. */
export const benchPod = (name: string, container: object = {}) => ({
  metadata: { name },
  spec: {
    nodeName: NODE,
    terminationGracePeriodSeconds: 1,
    containers: [
      { name: 'c', image: 'host', command: ['/bin/sh', '-c', 'echo begin; exec sleep 100000'], ...container },
    ],
  },
});
