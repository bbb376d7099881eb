/** A runtime that speaks the CRI: containerd, CRI-O. Its containers, logs and images are its own; the agent asks for them. */
import type { ContainerStreams } from '../../ports/machine/container-streams.ts';
import type { RuntimeFacts } from '../../ports/machine/node-facts.ts';
import type { ExecAnswer, Runtime } from '../../ports/machine/runtime.ts';
import { ownIdOf } from '../../rules/cri/runtime-container.ts';
import { conditionsOf, handlersOf } from '../../rules/cri/runtime-facts.ts';
import type { HealthCheck } from '../../rules/node/runtime-state.ts';
import { every } from '../every.ts';
import { CriError, unlessGone } from './cri-error.ts';
import { readLayers } from './layers.ts';
import { removeLog } from './logs.ts';
import type { CriRuntimeOptions, Parts } from './parts.ts';
import { removeMessage } from './pod-files.ts';
import { createPodGroups } from './pod-groups.ts';
import { readRuntimePod, readRuntimePods } from './pods.ts';
import { rotateLogs } from './rotate-logs.ts';
import { createSandbox, removePod } from './sandboxes.ts';
import { startContainer } from './start.ts';
import { createCriStreams } from './streams.ts';
import { createWatch, type Watch } from './watch.ts';

/** The runtime, and what ends its work in the background. Containers run on. */
export interface CriRuntime extends Runtime {
  readonly streams: ContainerStreams;
  close(): void;
}

/** Source: kubernetes v1.34 pkg/kubelet/pleg `relistThreshold`. */
const UNSEEN_MS = 180_000;
const STATUS_MS = 30_000;
/** How often containerd looks how large layers are. */
const LAYERS_MS = 10_000;

const MOST_OUTPUT = 16 * 1024;
/** The runtime ends the command at its limit; it is not waited for much longer. */
const SPARE_MS = 10_000;
/** Containers' limits are whole seconds. */
const SECOND = 1000;
/** What Node's timers and gRPC's deadlines can hold. */
const MOST_MS = 2 ** 31 - 1;

const factsOf = async ({ client }: Parts): Promise<RuntimeFacts> => {
  const [version, status] = await Promise.all([
    client.runtime.version({}, { timeoutMs: STATUS_MS }),
    client.runtime.status({}, { timeoutMs: STATUS_MS }),
  ]);
  return {
    type: version.runtimeName,
    version: version.runtimeVersion,
    handlers: handlersOf(status),
    ...(status.features && { supplementalGroupsPolicy: status.features.supplementalGroupsPolicy }),
  };
};

/** The name does not change while the runtime has the agent's containers. */
const nameOnce = (client: CriRuntimeOptions['client']): (() => Promise<string>) => {
  let name: string | undefined;
  return async () => {
    name ??= (await client.runtime.version({})).runtimeName;
    return name;
  };
};

const goSeconds = (ms: number): string => `${Math.floor(ms / 60_000)}m${((ms % 60_000) / 1000).toFixed(0)}s`;

const checksOf = ({ options }: Parts, watch: Watch): readonly HealthCheck[] => {
  const unseen = options.uptime() - watch.lastSeenAt();
  return unseen < UNSEEN_MS
    ? []
    : [{ name: 'PLEG', error: `pleg was last seen active ${goSeconds(unseen)} ago; threshold is 3m0s` }];
};

const stopContainer = async ({ client, options }: Parts, id: string, timeout: number): Promise<void> => {
  const timeoutMs = timeout * 1000 + options.callMs;
  await unlessGone(client.runtime.stopContainer({ containerId: ownIdOf(id), timeout }, { timeoutMs }));
};

const statusOf = async ({ client }: Parts, containerId: string) =>
  (await client.runtime.containerStatus({ containerId })).status;

/** With its log and its last message. */
const removeContainer = async (parts: Parts, id: string): Promise<void> => {
  const containerId = ownIdOf(id);
  await unlessGone(
    (async () => {
      const status = await statusOf(parts, containerId);
      await parts.client.runtime.removeContainer({ containerId });
      if (!status) return;
      removeLog(status.logPath);
      const { name = '', attempt: restartCount = 0 } = status.metadata ?? {};
      const uid = status.labels['io.kubernetes.pod.uid'] ?? '';
      removeMessage(parts.options.root, { uid, name, restartCount });
    })(),
  );
  parts.ended.delete(containerId);
};

const partsOf = (options: CriRuntimeOptions): Parts => {
  const { client, podsCgroup, cgroupDriver, systemRoot = '/', bindsCpus = false } = options;
  return {
    options,
    client,
    groups: createPodGroups({ podsCgroup, driver: cgroupDriver, systemRoot, bindsCpus }),
    name: nameOnce(client),
    ended: new Map(),
    layers: new Map(),
  };
};

/** Says once that the runtime does not answer, and once that it does again. */
const createHerald = ({ endpoint, log }: CriRuntimeOptions) => {
  let isSilent = false;
  return async <T>(answer: Promise<T>): Promise<T> => {
    try {
      const value = await answer;
      if (isSilent) log(`the container runtime at ${endpoint} answers again`);
      isSilent = false;
      return value;
    } catch (error) {
      if (!isSilent)
        log(`the container runtime at ${endpoint} does not answer: the agent waits for it`, error);
      isSilent = true;
      throw error;
    }
  };
};

/** containerd answers with its own words, not with the code. */
const isTimeout = ({ code, details }: CriError): boolean =>
  code === 'DeadlineExceeded' || /timeout .* exceeded|context deadline exceeded|timed out/.test(details);

/** Runs commands in containers. Source: kubernetes v1.34 pkg/kubelet/kuberuntime `RunInContainer`. */
export const execIn = async (
  { client }: Parts,
  id: string,
  cmd: readonly string[],
  timeoutMs: number,
): Promise<ExecAnswer> => {
  const timeout = Math.ceil(timeoutMs / SECOND);
  const limitMs = Math.min(MOST_MS, timeoutMs + SPARE_MS);
  try {
    const asked = { containerId: ownIdOf(id), cmd, timeout };
    const { stdout, stderr, exitCode } = await client.runtime.execSync(asked, { timeoutMs: limitMs });
    const output = Buffer.concat([stdout, stderr]).subarray(0, MOST_OUTPUT).toString('utf8');
    return { exitCode, output };
  } catch (error) {
    if (error instanceof CriError && isTimeout(error)) return { output: '' };
    throw error;
  }
};

/** Takes up what runs already. Nobody has to listen at the endpoint yet. */
export const createCriRuntime = (options: CriRuntimeOptions): CriRuntime => {
  const parts = partsOf(options);
  const { client, groups } = parts;
  const watch = createWatch(parts);
  const told = createHerald(options);
  const report = (error: unknown): void => options.log('the logs of containers', error);
  const logPaths = new Map<string, string>();
  const stopRotating = every(options.logPeriodMs, () => rotateLogs(parts, logPaths), report);
  const stopReading = every(
    LAYERS_MS,
    () => readLayers(parts),
    (error) => options.log('the writable layers of containers', error),
  );
  return {
    isolation: 'cri',
    facts: () => factsOf(parts),
    conditions: async () => conditionsOf(await told(client.runtime.status({}, { timeoutMs: STATUS_MS }))),
    checks: () => checksOf(parts, watch),
    missing: () => groups.missing(),
    pods: () => readRuntimePods(parts),
    pod: (uid) => readRuntimePod(parts, uid),
    createSandbox: (spec) => createSandbox(parts, spec),
    startContainer: (spec) => startContainer(parts, spec),
    stopContainer: (id, timeoutSeconds) => stopContainer(parts, id, timeoutSeconds),
    removeContainer: (id) => removeContainer(parts, id),
    removePod: (uid) => removePod(parts, uid),
    bindContainer: async (id, cpusetCpus) => {
      await client.runtime.updateContainerResources({ containerId: ownIdOf(id), linux: { cpusetCpus } });
    },
    exec: (id, command, timeoutMs) => execIn(parts, id, command, timeoutMs),
    streams: createCriStreams(parts),
    onChange: watch.onChange,
    close: () => {
      watch.close();
      stopRotating();
      stopReading();
      client.close();
      groups.removeAll();
    },
  };
};
