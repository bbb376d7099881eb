/** A runtime that speaks the CRI, for the pods of an agent of this machine. */
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type CriClient, createCriClient } from '../../agent/adapters/cri/client.ts';
import { createCriRuntime } from '../../agent/adapters/cri/cri-runtime.ts';
import { createCriImages } from '../../agent/adapters/cri/image-service.ts';
import type { CriRuntimeOptions } from '../../agent/adapters/cri/parts.ts';
import { groupOfAll } from '../../agent/adapters/cri/pod-groups.ts';
import type { ImageService } from '../../agent/ports/machine/image-service.ts';
import type { AgentOptions } from '../../agent/program/agent-program.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import { CommandError, reasonOf } from '../shell/command.ts';
import { bindsContainers, groupAbilities } from './agent-resources.ts';

/** Source: kubernetes v1.34 pkg/kubelet/pleg `relistPeriod`. */
const RELIST_MS = 1_000;
const NANOSECONDS = 1e6;
/** A runtime that is there tells its driver at once. */
const DRIVER_MS = 5_000;

type Driver = CriRuntimeOptions['cgroupDriver'];

/** The runtime knows its driver; an older one, or one that is not there yet, leaves it to the configuration. */
const driverOf = async ({ runtime }: CriClient, configured: string): Promise<Driver> => {
  const told = await runtime.runtimeConfig({}, { timeoutMs: DRIVER_MS }).catch(() => undefined);
  if (told?.linux) return told.linux.cgroupDriver === 'SYSTEMD' ? 'systemd' : 'cgroupfs';
  return configured === 'systemd' ? 'systemd' : 'cgroupfs';
};

/** Read anew for each pod: the machine's name servers may change. */
const textOf = (path: string): string => {
  try {
    return path === '' ? '' : readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

type Shared = Pick<CriRuntimeOptions, 'podsCgroup' | 'trash' | 'logs' | 'logPeriodMs' | 'log'>;

/** Absent: they stand where the agent's folder does, or the runtime is not there yet. */
const imageFolderOf = async (images: ImageService, rootDirectory: string): Promise<string | undefined> => {
  try {
    const [first] = await images.fileSystems();
    if (!first) return undefined;
    const [own, others] = await Promise.all([stat(rootDirectory), stat(first.mountpoint)]);
    return own.dev === others.dev ? undefined : first.mountpoint;
  } catch {
    return undefined;
  }
};

/** Throws a `CommandError` if this machine has no control groups for pods. The runtime need not be there yet. */
export const makeCriRuntime = async (options: AgentOptions, shared: Shared) => {
  const { settings, rootDirectory } = options;
  const { config, containerRuntime } = settings;
  const callMs = Number(config.runtimeRequestTimeout) / NANOSECONDS;
  const endpoints = containerRuntime ?? { endpoint: config.containerRuntimeEndpoint };
  const client = await createCriClient({ ...endpoints, timeoutMs: callMs });
  const cgroupDriver = await driverOf(client, config.cgroupDriver);
  try {
    const runtime = createCriRuntime({
      ...shared,
      client,
      endpoint: endpoints.endpoint,
      callMs,
      cgroupDriver,
      root: join(rootDirectory, 'cri'),
      logRoot: config.podLogsDir,
      now: Date.now,
      uptime: () => performance.now(),
      relistPeriodMs: RELIST_MS,
      dns: () => ({
        resolvConf: textOf(config.resolvConf),
        clusterDns: config.clusterDNS ?? [],
        clusterDomain: config.clusterDomain,
      }),
      seccomp: { profiles: join(rootDirectory, 'seccomp'), isDefault: config.seccompDefault ?? false },
      abilities: groupAbilities(options),
      bindsCpus: bindsContainers(options),
    });
    const podsCgroup = groupOfAll(shared.podsCgroup, cgroupDriver);
    const images = createCriImages(client);
    const imageFolder = await imageFolderOf(images, rootDirectory);
    return { runtime, podsCgroup, images, ...optional('imageFolder', imageFolder) };
  } catch (error) {
    throw new CommandError(`this machine cannot run containers: ${reasonOf(error)}. Is the agent root?`);
  }
};
