/** A runtime of the agent over a real containerd, with one pod. */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCriClient } from '../../../agent/adapters/cri/client.ts';
import { type CriRuntime, createCriRuntime } from '../../../agent/adapters/cri/cri-runtime.ts';
import type { CriRuntimeOptions } from '../../../agent/adapters/cri/parts.ts';
import { createTrash } from '../../../agent/adapters/linux/trees/remove-tree.ts';
import type { ContainerSpec, ResourceBounds } from '../../../agent/ports/machine/runtime.ts';
import type { AgentPod } from '../../../agent/rules/containers/agent-pod.ts';
import type { Container } from '../../../agent/rules/containers/container.ts';
import type { RuntimeContainer } from '../../../agent/rules/containers/runtime-status.ts';
import { eventually } from '../clocks/eventually.ts';
import { type Containerd, SHELL_IMAGE } from './containerd.ts';

const PATIENCE_MS = 30_000;

export interface CriPod {
  readonly pod: AgentPod;
  /** Folder of its logs. */
  readonly logs: string;
  sandbox(bounds?: ResourceBounds): Promise<void>;
  /** Starts a container of the shell image with this script. */
  shell(script: string, more?: Partial<ContainerSpec>, fields?: Partial<Container>): Promise<string>;
  container(id: string): Promise<RuntimeContainer | undefined>;
  ended(id: string): Promise<RuntimeContainer>;
  /** The text of the log of a start of `main`. */
  log(restartCount?: number): string;
  remove(): Promise<void>;
}

export interface CriMachine {
  readonly options: CriRuntimeOptions;
  runtime(): CriRuntime;
  /** Another runtime on the same folders, as an agent that was started again. */
  restart(): Promise<CriRuntime>;
  /** A pod on the host's network, unless `spec` says otherwise. */
  pod(spec?: Readonly<Record<string, unknown>>, metadata?: Partial<AgentPod['metadata']>): CriPod;
  /** Lines that the runtime wrote to the agent's log. */
  readonly said: string[];
  close(): void;
}

export const startCriMachine = async (
  { folder, cgroup, endpoint }: Containerd,
  more: Partial<CriRuntimeOptions> = {},
): Promise<CriMachine> => {
  const said: string[] = [];
  const makeOptions = async (): Promise<CriRuntimeOptions> => ({
    root: join(folder, 'agent'),
    logRoot: join(folder, 'logs'),
    trash: createTrash({ folder: join(folder, 'trash'), log: (message) => said.push(message) }),
    podsCgroup: `${cgroup}/agent`,
    client: await createCriClient({ endpoint, timeoutMs: 30_000 }),
    endpoint,
    callMs: 30_000,
    now: Date.now,
    uptime: () => performance.now(),
    logs: { maxSize: 1_000_000, maxFiles: 3 },
    logPeriodMs: 60_000,
    relistPeriodMs: 200,
    dns: () => ({ resolvConf: 'nameserver 192.0.2.53\n', clusterDns: [], clusterDomain: '' }),
    seccomp: { profiles: '/nowhere', isDefault: false },
    abilities: {
      isVersion2: existsSync('/sys/fs/cgroup/cgroup.controllers'),
      boundsSwap: existsSync('/sys/fs/cgroup/memory/memory.memsw.limit_in_bytes'),
      killsSingleProcess: false,
    },
    cgroupDriver: 'cgroupfs',
    log: (message) => said.push(message),
    ...more,
  });
  const options = await makeOptions();
  let runtime = createCriRuntime(options);

  const pod: CriMachine['pod'] = (spec = {}, metadata = {}) => {
    const uid = randomUUID();
    const identity = { namespace: 'default', name: `web-${uid.slice(0, 4)}`, uid };
    const main = { name: 'main', image: SHELL_IMAGE };
    const source = {
      metadata: { ...identity, ...metadata },
      spec: { hostNetwork: true, containers: [main], ...spec },
    } as unknown as AgentPod;
    const logs = join(options.logRoot, `default_${identity.name}_${uid}`);
    const container = async (id: string): Promise<RuntimeContainer | undefined> =>
      (await runtime.pod(uid))?.containers.find((one) => one.id === id);
    return {
      pod: source,
      logs,
      container,
      sandbox: (bounds = {}) =>
        runtime.createSandbox({ pod: identity, hostname: identity.name, bounds, logFolder: logs, source }),
      shell: (script, own = {}, fields = {}) =>
        runtime.startContainer({
          pod: identity,
          name: 'main',
          restartCount: 0,
          image: SHELL_IMAGE,
          command: [script],
          environment: {},
          mounts: [],
          bounds: {},
          oomScoreAdjust: 500,
          source: { pod: source, container: { ...main, ...fields }, command: [], args: [script] },
          ...own,
        }),
      ended: (id) =>
        eventually(`${id} has ended`, PATIENCE_MS, async () => {
          const found = await container(id);
          return found?.state === 'exited' && found;
        }),
      log: (restartCount = 0) => readFileSync(join(logs, 'main', `${restartCount}.log`), 'utf8'),
      remove: () => runtime.removePod(uid),
    };
  };
  return {
    options,
    pod,
    said,
    runtime: () => runtime,
    restart: async () => {
      runtime.close();
      runtime = createCriRuntime(await makeOptions());
      return runtime;
    },
    close: () => runtime.close(),
  };
};
