/** A real host, real agents of this machine and its kubectl, all in one new folder. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stateFolderOf } from '../../../../cli/agent/agent-oci.ts';
import { eventually } from '../../clocks/eventually.ts';
import { type HostProcess, startHostProcess } from '../../servers/host-process.ts';
import { kill } from '../../shell/kill.ts';
import { hasKubectl, kubectlEnvironment, runKubectl } from '../../shell/kubectl.ts';
import {
  type AgentProcess,
  joinWords,
  killPods,
  removeGroupsAndMounts,
  startAgent,
  withoutToken,
} from './agent-process.ts';
import { podProcesses } from './pod-processes.ts';

export interface AgentHereOptions {
  /** Lines of its KubeletConfiguration. */
  readonly config?: readonly string[];
  readonly flags?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** A module that Node loads before the agent. */
  readonly preload?: URL;
  /** A program with its first arguments; default: the checkout. */
  readonly command?: readonly string[];
  /** Its `cgroupRoot`. */
  readonly cgroupRoot?: string;
}

export interface AgentHere {
  readonly name: string;
  readonly root: string;
  /** The process that was started last. */
  process(): AgentProcess;
  /** Starts it (again): with the join line until it has a token of its own. */
  start(): void;
}

export interface ClusterHere {
  readonly folder: string;
  readonly host: HostProcess;
  /** What kubectl prints; rejects with its error. */
  kubectl(...args: readonly string[]): Promise<string>;
  apply(...objects: readonly object[]): Promise<void>;
  /** An agent that has not been started. */
  agent(name: string, options?: AgentHereOptions): AgentHere;
  /** Waits; a failure shows what the agents have said. */
  seen<T>(what: string, withinMs: number, look: () => Promise<T | undefined | false>): Promise<T>;
  /** Ends all that was started here, by its process ids, and removes what it has made. */
  close(): Promise<void>;
}

/** Why there is no cluster on this machine; `undefined`: there can be one. */
export const missingForCluster = (): string | undefined => {
  if (process.getuid?.() !== 0) return 'only root can run containers';
  return hasKubectl ? undefined : 'this machine has no kubectl';
};

const hasToken = (root: string): boolean => {
  try {
    return readFileSync(join(root, 'token.json'), 'utf8') !== '';
  } catch {
    return false;
  }
};

/** The last of what an agent said. */
const lastSaid = ({ name, process: running }: AgentHere): string => {
  try {
    return `${name}: ${running().output().slice(-1500)}`;
  } catch {
    return `${name}: was not started`;
  }
};

/** Shims and programs: without their agent nothing starts them again. */
const endContainers = (root: string): Promise<true> =>
  eventually('containers have ended', 10_000, async () => {
    const left = podProcesses(root);
    for (const { pid } of left) kill(pid);
    return left.length === 0;
  });

const agentHere = (
  folder: string,
  words: readonly string[],
  name: string,
  { config = [], flags = [], env = {}, preload, command, cgroupRoot }: AgentHereOptions,
): AgentHere => {
  const root = join(folder, name, 'root');
  const file = join(folder, name, 'kubelet.yaml');
  mkdirSync(root, { recursive: true });
  const lines = [
    `podLogsDir: ${join(folder, name, 'logs')}`,
    ...(cgroupRoot === undefined ? [] : [`cgroupRoot: ${cgroupRoot}`]),
    ...config,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  let running: AgentProcess | undefined;
  return {
    name,
    root,
    process: () => {
      if (running) return running;
      throw new Error(`${name} was not started`);
    },
    start: () => {
      const line = hasToken(root) ? withoutToken(words) : words;
      const own = ['--root-dir', root, '--hostname-override', name, '--config', file, ...flags];
      running = startAgent([...line, ...own], {
        env: {
          ...process.env,
          ...env,
          ...(preload && { NODE_OPTIONS: `--import ${fileURLToPath(preload)}` }),
        },
        ...(command && { command }),
      });
    },
  };
};

/** Starts a host, and prints its join line for machines. */
export const startClusterHere = async (...settings: readonly string[]): Promise<ClusterHere> => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-machine-'));
  const state = join(folder, 'host');
  const host = await startHostProcess(state, ...settings);
  const words = await joinWords(state);
  const env = kubectlEnvironment(join(state, 'kubeconfig'), folder);
  const agents: { readonly agent: AgentHere; readonly cgroupRoot: string | undefined }[] = [];
  return {
    folder,
    host,
    kubectl: (...args) => runKubectl(env, args),
    apply: async (...items) => {
      const list = { apiVersion: 'v1', kind: 'List', items };
      await runKubectl(env, ['apply', '-f', '-'], JSON.stringify(list));
    },
    agent: (name, options = {}) => {
      const agent = agentHere(folder, words, name, options);
      agents.push({ agent, cgroupRoot: options.cgroupRoot });
      return agent;
    },
    seen: (what, withinMs, look) =>
      eventually(what, withinMs, look, { seen: () => agents.map(({ agent }) => lastSaid(agent)) }),
    close: async () => {
      for (const { agent, cgroupRoot } of agents) {
        if (!lastSaid(agent).endsWith('was not started')) await agent.process().end('SIGKILL');
        await killPods(agent.root, cgroupRoot);
        await endContainers(agent.root);
        await removeGroupsAndMounts(agent.root, cgroupRoot);
      }
      for (const { agent } of agents) rmSync(stateFolderOf(agent.root), { recursive: true, force: true });
      await host.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
