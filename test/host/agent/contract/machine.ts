/** What a test of the contract asks of a machine with a runtime. */
import { join } from 'node:path';
import { createTrash } from '../../../../agent/adapters/linux/trees/remove-tree.ts';
import type { ContainerStreams } from '../../../../agent/ports/machine/container-streams.ts';
import type { ContainerSpec, Runtime, SandboxSpec } from '../../../../agent/ports/machine/runtime.ts';
import type { AgentPod } from '../../../../agent/rules/containers/agent-pod.ts';
import { podLogFolder } from '../../../../agent/rules/runtime/pod-log-folder.ts';

/** The part of the port that each runtime has, with the logs of its containers. */
export type TestedRuntime = Pick<
  Runtime,
  | 'isolation'
  | 'facts'
  | 'pods'
  | 'pod'
  | 'createSandbox'
  | 'startContainer'
  | 'stopContainer'
  | 'removeContainer'
  | 'removePod'
  | 'exec'
  | 'onChange'
> &
  Pick<ContainerStreams, 'log'>;

/** What a runtime does not have, by name. */
export type Lack =
  /** Containers end with the agent. */
  | 'life without the agent'
  /** Nothing bounds memory, so that nothing ends for want of it. */
  | 'OOMKilled'
  /** A container writes into no layer of its own. */
  | 'writable layer'
  /** What a command has started, and has left its session, ends with the container only. */
  | 'whole commands'
  /** There is no control group, so that processor and memory are not measured. */
  | 'usage'
  /** The machine cannot refuse to say whether a container runs: the agent is its parent. */
  | 'silence';

export interface ContractMachine {
  readonly folder: string;
  /** `host`, or the name of an image with a shell. */
  readonly image: string;
  runtime(): TestedRuntime;
  /** The agent is killed; `away` runs, and another agent begins. */
  restart(away?: () => Promise<void>): Promise<void>;
  /** The same, and the machine does not tell the next agent what runs. `heal` ends that. */
  silence?(): Promise<{ readonly heal: () => Promise<void> }>;
  close(): Promise<void>;
}

export interface Kind {
  readonly name: string;
  /** Why it cannot be tried here; `undefined`: it can. */
  readonly missing: string | undefined;
  readonly lacks: readonly Lack[];
  readonly start: () => Promise<ContractMachine>;
}

/** What runtimes of all kinds take. */
export const sharedOptions = (folder: string) => ({
  root: join(folder, 'runtime'),
  trash: createTrash({
    folder: join(folder, 'trash'),
    log: (message) => process.stderr.write(`${message}\n`),
  }),
  version: '1',
  now: Date.now,
  logs: { maxSize: 1_000_000, maxFiles: 3 },
  report: (error: unknown) => process.stderr.write(`${String(error)}\n`),
});

const identityOf = (uid: string) => ({ namespace: 'default', name: 'web', uid });

const podOf = (uid: string, container: object): AgentPod =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: identityOf(uid),
    spec: { hostNetwork: true, containers: [container] },
  }) as unknown as AgentPod;

export const sandboxSpec = ({ folder, image }: ContractMachine, uid: string): SandboxSpec => ({
  pod: identityOf(uid),
  hostname: 'web',
  bounds: {},
  logFolder: podLogFolder(join(folder, 'logs'), identityOf(uid)),
  source: podOf(uid, { name: 'main', image }),
});

/** Of a container that runs a script. */
export const containerSpec = (
  { image }: ContractMachine,
  uid: string,
  script: string,
  more: Partial<ContainerSpec> = {},
): ContainerSpec => {
  const command = ['/bin/sh', '-c', script];
  const { terminationMessagePath, terminationMessageFallsBackToLogs } = more;
  const container = {
    name: more.name ?? 'main',
    image,
    command,
    ...(terminationMessagePath !== undefined && { terminationMessagePath }),
    ...(terminationMessageFallsBackToLogs && { terminationMessagePolicy: 'FallbackToLogsOnError' }),
  };
  return {
    pod: identityOf(uid),
    name: 'main',
    restartCount: 0,
    image,
    command,
    environment: {},
    mounts: [],
    bounds: {},
    oomScoreAdjust: 500,
    source: { pod: podOf(uid, container), container, command, args: [] },
    ...more,
  };
};
