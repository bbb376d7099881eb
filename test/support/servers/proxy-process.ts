/** Starts `rollcall proxy` as a process, and runs kubectl through it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { eventually } from '../clocks/eventually.ts';
import { KUBECTL, kubectlEnvironment, runKubectl } from '../shell/kubectl.ts';

const NODE = resolve('node_modules/.bin/node');
const READY_MS = 30_000;

/** A process whose lines are kept. */
export interface Running {
  lines(): readonly string[];
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

/** Starts a program and keeps its lines. */
export const running = (
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Running => {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    await closed;
  };
  return { process: child, lines: () => text.split('\n').filter((line) => line !== ''), stop };
};

export interface RunningProxy extends Running {
  /** Path of the file. */
  readonly kubeconfig: string;
  /** For a kubectl that uses it. */
  readonly env: NodeJS.ProcessEnv;
  /** Runs kubectl and returns its output. Rejects if kubectl fails. */
  kubectl(...args: readonly string[]): Promise<string>;
  /** Starts a kubectl that runs until it is stopped, such as a watch. */
  kubectlOn(...args: readonly string[]): Running;
}

export const startProxy = async (server: string, ...flags: readonly string[]): Promise<RunningProxy> => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-proxy-'));
  const words = ['cli/rollcall.js', 'proxy', '--server', server, '--folder', folder, ...flags];
  const proxy = running(NODE, words);
  const isReady = async (): Promise<boolean> => proxy.lines().some((line) => line.startsWith('export '));
  await eventually('the proxy is ready', READY_MS, isReady, { seen: proxy.lines });
  const kubeconfig = join(folder, 'kubeconfig');
  const env = kubectlEnvironment(kubeconfig, folder);
  return {
    ...proxy,
    kubeconfig,
    env,
    kubectl: (...args) => runKubectl(env, args),
    kubectlOn: (...args) => running(KUBECTL, args, env),
    stop: async () => {
      await proxy.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
