/** A runtime whose containers are children of the agent, and nothing more: for machines on which no other works. */
import { optional } from '../../../shared/kube/values/optional.ts';
import type { ContainerStreams } from '../../ports/machine/container-streams.ts';
import type { Runtime, RuntimePod, SandboxSpec } from '../../ports/machine/runtime.ts';
import { containerKey, isSafeName } from '../../rules/containers/container-id.ts';
import { shownEnd } from '../../rules/containers/exit.ts';
import type { RuntimeContainer } from '../../rules/containers/runtime-status.ts';
import { notIsolated } from '../../rules/plain/plain-mode.ts';
import { plainRefusals } from '../../rules/plain/refusals.ts';
import { refusalIn } from '../../rules/pods/asked-fields.ts';
import { makeFolder, PRIVATE_FOLDER } from '../linux/closed-folder.ts';
import { findProgram } from '../linux/find-program.ts';
import { readBootId } from '../linux/processes.ts';
import { execIn } from './exec.ts';
import {
  type Kept,
  type KeptPod,
  latestOf,
  type Parts,
  PLAIN,
  type PlainRuntimeOptions,
  podFolder,
  writePod,
} from './records.ts';
import { recover } from './recover.ts';
import { sandboxOf, startContainer } from './start.ts';
import { removeContainer, removePod, stopAll, stopContainer } from './stop.ts';
import { createPlainStreams, runningOf } from './streams.ts';

/** The runtime, and what ends its pods with the agent. */
export interface PlainRuntime extends Runtime {
  readonly streams: ContainerStreams;
  /** Resolves when no container runs any more. */
  close(): Promise<void>;
}

const stateOf = ({ running, end }: Kept): RuntimeContainer['state'] => {
  if (end) return 'exited';
  return running ? 'running' : 'created';
};

const endOf = ({ end }: Kept) => {
  if (!end) return {};
  const { exit, hasRun, finishedAt, message } = end;
  return { ...shownEnd(exit, hasRun), finishedAt, ...optional('message', message || undefined) };
};

const describe = (kept: Kept): RuntimeContainer => {
  const { name, restartCount, image, createdAt } = kept.record;
  return {
    id: kept.id,
    name,
    state: stateOf(kept),
    createdAt,
    ...optional('startedAt', kept.main?.startedAt),
    ...endOf(kept),
    restartCount,
    image,
    imageId: image,
    wantedImage: image,
  };
};

/** There are no control groups: none of this name is found, and what is not measured is absent. */
const NO_GROUP = '/rollcall-unisolated';

const measured = (containers: readonly Kept[]) =>
  containers
    .filter(({ running }) => running !== undefined)
    .map(({ record: { name, logFile }, main }) => ({
      name,
      ...optional('startedAt', main?.startedAt),
      cgroup: NO_GROUP,
      logs: logFile.slice(0, logFile.lastIndexOf('/')),
    }));

const podOf = ({ bootId }: Parts, pod: KeptPod): RuntimePod => {
  const containers = [...pod.containers.values()];
  return {
    pod: pod.record.pod,
    ...sandboxOf(bootId, pod),
    containers: containers.map(describe),
    measure: { cgroup: NO_GROUP, containers: measured(containers) },
  };
};

const createSandbox = ({ options, pods, bootId }: Parts, spec: SandboxSpec): void => {
  const { pod, hostname, logFolder } = spec;
  if (!isSafeName(pod.uid)) throw new Error(`the uid "${pod.uid}" of a pod cannot be the name of a folder`);
  const known = pods.get(pod.uid);
  if (known?.record.bootId === bootId) return;
  const folder = podFolder(options.root, pod.uid);
  // Later than all that was started in the one before, whatever the clock says.
  const createdAt = Math.max(options.now(), latestOf(known) + 1);
  const record = { pod, hostname, logFolder, createdAt, bootId };
  writePod(folder, record, known !== undefined);
  if (known) known.record = record;
  else pods.set(pod.uid, { record, folder, containers: new Map() });
};

const prepare = async (options: PlainRuntimeOptions): Promise<Parts> => {
  const mkfifo = findProgram('mkfifo');
  if (mkfifo === undefined) throw new Error('the program mkfifo is not there: install coreutils');
  makeFolder(options.root, PRIVATE_FOLDER);
  const bootId = readBootId();
  const parts = { options, bootId, mkfifo, pods: new Map(), callbacks: new Set<never>(), isClosing: false };
  await recover(parts);
  return parts;
};

/** Ends what an agent before this one left. Rejects if this machine cannot run containers. One agent at a time may use `root`. */
export const createPlainRuntime = async (options: PlainRuntimeOptions): Promise<PlainRuntime> => {
  const parts = await prepare(options);
  const find = (id: string): Kept | undefined =>
    parts.pods.get(containerKey(id)?.podUid ?? '')?.containers.get(id);
  const warning = notIsolated(options.user.name);
  const lists = plainRefusals(options.user);
  return {
    isolation: 'none',
    plain: { warning, refusal: (pod, container) => refusalIn(lists, pod, container) },
    facts: async () => ({ type: PLAIN, version: options.version, handlers: [] }),
    missing: () => [warning],
    pods: async () => [...parts.pods.values()].map((pod) => podOf(parts, pod)),
    pod: async (uid) => {
      const pod = parts.pods.get(uid);
      return pod && podOf(parts, pod);
    },
    createSandbox: async (spec) => createSandbox(parts, spec),
    startContainer: (spec) => startContainer(parts, spec),
    stopContainer: async (id, timeoutSeconds) => {
      const kept = find(id);
      if (kept) await stopContainer(kept, timeoutSeconds);
    },
    removeContainer: (id) => removeContainer(parts, containerKey(id)?.podUid ?? '', id),
    removePod: (uid) => removePod(parts, uid),
    bindContainer: async () => {
      throw new Error('processes cannot be bound to CPUs with --unisolated');
    },
    exec: async (id, command, timeoutMs) => await execIn(runningOf(find(id), id), command, timeoutMs),
    onChange: (callback) => {
      parts.callbacks.add(callback);
      return () => void parts.callbacks.delete(callback);
    },
    streams: createPlainStreams(parts, find),
    close: () => stopAll(parts),
  };
};
