/** The pods of an agent of this machine: their containers are bundles of an OCI runtime, those of a runtime of the CRI, or plain processes. */
import { createHash } from 'node:crypto';
import { platform, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { hasCgroup } from '../../agent/adapters/linux/groups/part-of-machine.ts';
import { createTrash } from '../../agent/adapters/linux/trees/remove-tree.ts';
import { leftBundles } from '../../agent/adapters/oci-runtime/containers/records.ts';
import { createPlainRuntime } from '../../agent/adapters/plain-runtime/plain-runtime.ts';
import type { MachineSource } from '../../agent/ports/machine/machine-source.ts';
import type { Runtime } from '../../agent/ports/machine/runtime.ts';
import type { Log } from '../../agent/ports/machine/shutdown.ts';
import type { Trash } from '../../agent/ports/machine/trash.ts';
import type { AgentOptions, PodParts } from '../../agent/program/agent-program.ts';
import { createRunningPods, type RunPodsOptions } from '../../agent/program/run-pods.ts';
import { hasBundles, type Isolation } from '../../agent/rules/pods/isolation.ts';
import { cgroupRootOf } from '../../agent/rules/stats/cgroup-layout.ts';
import { parseQuantity } from '../../shared/kube/values/quantity-parse.ts';
import { CommandError } from '../shell/command.ts';
import { ownVersion } from '../shell/version.ts';
import { machineResources } from './agent-resources.ts';

const NANO = 1_000_000_000n;
const SWEEP_MS = 5_000;
const DEFAULT_LOG_PERIOD = 10_000_000_000n;

const bytesOf = (text: string): number => {
  const parsed = parseQuantity(text);
  if ('error' in parsed) throw new CommandError(`containerLogMaxSize: ${parsed.error}`, 2);
  return Number(parsed.nano / NANO);
};

/** Several agents of a machine have a group each. `within`: the group that it is made in. */
export const podsGroupOf = (root: string, within = '/'): string => {
  const digest = createHash('sha256').update(resolve(root)).digest('hex');
  return `${within === '/' ? '' : within}/rollcall-${digest.slice(0, 12)}`;
};

const groupIn = (given: string): string => {
  const cgroup = cgroupRootOf(given);
  if (cgroup === '/' || hasCgroup(cgroup)) return cgroup;
  throw new CommandError(
    `cgroupRoot: there is no control group ${cgroup}: make it before the agent starts`,
    2,
  );
};

const logSettings = ({ settings: { config } }: AgentOptions) => ({
  logs: { maxSize: bytesOf(config.containerLogMaxSize), maxFiles: config.containerLogMaxFiles },
  logPeriodMs: Number(config.containerLogMonitorInterval ?? DEFAULT_LOG_PERIOD) / 1e6,
});

/** A runtime, and what belongs to it. */
interface Made extends Pick<RunPodsOptions, 'podsCgroup' | 'images' | 'imageFolder'> {
  readonly runtime: Runtime & { readonly close: () => void | Promise<void> };
}

/** What all runtimes need. */
interface Shared {
  readonly podsCgroup: string;
  readonly trash: Trash;
  readonly log: Log;
}

/** Two runtimes would run the same containers. */
const refuseBundles = (root: string): void => {
  if (!leftBundles(root)) return;
  throw new CommandError(
    'containers of an OCI runtime are on this machine: drain the node before its agent is given --unisolated or --container-runtime-endpoint',
    2,
  );
};

/** A user of whom the machine knows no name has a number only. */
const agentUser = () => {
  const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0];
  try {
    return { uid, gid, name: userInfo().username };
  } catch {
    return { uid, gid, name: String(uid) };
  }
};

const plainRuntime = async (options: AgentOptions, { podsCgroup, trash, log }: Shared): Promise<Made> => {
  const runtime = await createPlainRuntime({
    root: join(options.rootDirectory, 'plain'),
    trash,
    version: ownVersion(),
    now: Date.now,
    logs: logSettings(options).logs,
    user: agentUser(),
    report: (error) => log('the container runtime', error),
  });
  return { runtime, podsCgroup };
};

/** The library for gRPC is loaded only here. */
const containerRuntime = async (options: AgentOptions, shared: Shared): Promise<Made> => {
  const { makeCriRuntime } = await import('./agent-cri.ts');
  return await makeCriRuntime(options, { ...logSettings(options), ...shared });
};

const bundleRuntime = async (options: AgentOptions, shared: Shared): Promise<Made> => {
  const { makeOciRuntime } = await import('./agent-oci.ts');
  return await makeOciRuntime(options, { ...logSettings(options), ...shared, sweepPeriodMs: SWEEP_MS });
};

type Maker = (options: AgentOptions, shared: Shared) => Promise<Made>;

const MAKERS: Readonly<Record<Isolation, Maker>> = {
  oci: bundleRuntime,
  'oci-rootless': bundleRuntime,
  cri: containerRuntime,
  none: plainRuntime,
};

/** Takes up what runs already. Throws a `CommandError` if this machine cannot run containers. */
export const machinePods = async (options: AgentOptions, machine: MachineSource, log: Log) => {
  const { settings, rootDirectory } = options;
  const resources = await machineResources(options, machine, log);
  const group = podsGroupOf(rootDirectory, groupIn(settings.config.cgroupRoot));
  if (!hasBundles(settings.isolation)) refuseBundles(join(rootDirectory, 'runtime'));
  const make = MAKERS[settings.isolation];
  const trash = createTrash({ folder: join(rootDirectory, 'trash'), log });
  const made = await make(options, { podsCgroup: group, trash, log });
  const { runtime } = made;
  for (const missing of runtime.missing()) log(`not everything works on this machine: ${missing}`);
  const createPods = (parts: PodParts) =>
    createRunningPods({ ...parts, ...made, trash, resources, os: platform(), random: Math.random });
  const close = async (): Promise<void> => {
    await runtime.close();
    trash.close();
  };
  return { createPods, close };
};
