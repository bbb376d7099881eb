/** Starts containers. Source: kubernetes v1.34 pkg/kubelet/kuberuntime `startContainer`. */

import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ContainerSpec, Mount } from '../../ports/machine/runtime.ts';
import { isSafeName } from '../../rules/containers/container-id.ts';
import type { ContainerMount } from '../../rules/containers/container-mount.ts';
import { type ContainerFacts, containerConfig } from '../../rules/cri/container-config.ts';
import { linuxResources } from '../../rules/cri/linux-resources.ts';
import type { Container } from '../../rules/cri/messages/containers.ts';
import type { PodSandbox } from '../../rules/cri/messages/sandboxes.ts';
import { containerIdOf } from '../../rules/cri/runtime-container.ts';
import { type ImageUser, rootFault } from '../../rules/cri/security-context.ts';
import { podLogFolder } from '../../rules/runtime/pod-log-folder.ts';
import { StartRefusedError } from '../containers/start-refused.ts';
import { LOG_FOLDER, makeFolder } from '../linux/closed-folder.ts';
import { agentOf, type Parts } from './parts.ts';
import { hostsMount, messageMount } from './pod-files.ts';
import { containersOf, readRuntimePod, sandboxesOf } from './pods.ts';
import { configOf } from './sandboxes.ts';

type Source = NonNullable<ContainerSpec['source']>;

const CONFIG_ERROR = 'CreateContainerConfigError';

const sourceOf = ({ source }: ContainerSpec): Source => {
  if (source) return source;
  throw new Error('a container needs the container of the API');
};

interface FoundImage {
  readonly ref: string;
  readonly user: ImageUser;
}

const findImage = async ({ client }: Parts, name: string): Promise<FoundImage> => {
  const { image } = await client.images.imageStatus({ image: { image: name } });
  if (!image)
    throw new StartRefusedError(
      'ErrImageNeverPull',
      `Container image "${name}" is not present on this machine`,
    );
  const { uid, username } = image;
  return {
    ref: image.id,
    user: { ...(uid && { uid: uid.value }), ...(username !== '' && { name: username }) },
  };
};

/** The image's user is root unless it names another. */
const checkUser = ({ pod, container }: Source, user: ImageUser): void => {
  const fault = rootFault(pod, container, user);
  if (fault !== undefined) throw new StartRefusedError(CONFIG_ERROR, fault);
};

/** The runtime mounts what the path leads to, so it must still be what was found. */
const checkMount = ({ source, identity }: Mount): void => {
  if (identity === undefined) return;
  const { dev, ino } = statSync(source);
  if (`${dev}:${ino}` !== identity) throw new Error(`${source} has changed while it was about to be mounted`);
};

const mountsOf = async (
  { options: { root } }: Parts,
  spec: ContainerSpec,
  ips: readonly string[],
  hostname: string,
): Promise<readonly ContainerMount[]> => {
  const own: readonly ContainerMount[] = spec.mounts;
  const { pod } = sourceOf(spec);
  return [...own, ...hostsMount(root, pod, hostname, ips, own), messageMount(root, spec)];
};

const hostnameOf = ({ pod: { spec, metadata } }: Source): string => {
  const { hostname } = spec as { readonly hostname?: string };
  return hostname === undefined || hostname === '' ? metadata.name : hostname;
};

const factsOf = async (
  parts: Parts,
  spec: ContainerSpec,
  image: FoundImage,
  ips: readonly string[],
): Promise<ContainerFacts> => {
  const source = sourceOf(spec);
  const { restartCount, environment, workingDirectory, stopSignal, bounds, oomScoreAdjust } = spec;
  return {
    ...source,
    agent: agentOf(parts),
    restartCount,
    imageRef: image.ref,
    imageUser: image.user,
    environment,
    mounts: await mountsOf(parts, spec, ips, hostnameOf(source)),
    ...(workingDirectory !== undefined && { workingDirectory }),
    ...(stopSignal !== undefined && { stopSignal }),
    resources: linuxResources(bounds, parts.options.abilities, oomScoreAdjust),
    seccomp: parts.options.seccomp,
  };
};

/** The sandbox's configuration is a part of the request, and must say what it said at first. */
const sandboxConfigOf = (parts: Parts, spec: ContainerSpec, { metadata }: PodSandbox, logFolder: string) => {
  const source = sourceOf(spec);
  const made = { pod: spec.pod, hostname: hostnameOf(source), bounds: {}, logFolder, source: source.pod };
  return configOf(parts, made, metadata?.attempt ?? 0);
};

const create = async (parts: Parts, spec: ContainerSpec, sandbox: PodSandbox): Promise<string> => {
  const image = await findImage(parts, spec.imageReference ?? spec.image);
  checkUser(sourceOf(spec), image.user);
  for (const mount of spec.mounts) checkMount(mount);
  const there = await readRuntimePod(parts, spec.pod.uid);
  const facts = await factsOf(parts, spec, image, there?.ips ?? []);
  const sandboxConfig = sandboxConfigOf(parts, spec, sandbox, logFolderOf(parts, spec));
  const config = containerConfig(facts);
  makeFolder(dirname(join(sandboxConfig.logDirectory ?? '', config.logPath ?? '')), LOG_FOLDER);
  try {
    const made = await parts.client.runtime.createContainer({
      podSandboxId: sandbox.id,
      config,
      sandboxConfig,
    });
    return made.containerId;
  } catch (error) {
    throw new StartRefusedError(
      'CreateContainerError',
      error instanceof Error ? error.message : String(error),
    );
  }
};

const logFolderOf = ({ options }: Parts, { pod }: ContainerSpec): string =>
  podLogFolder(options.logRoot, pod);

/** The container of this start, if there is one already. */
const findStarted = (
  containers: readonly Container[],
  { name, restartCount }: ContainerSpec,
  sandbox: PodSandbox,
): Container | undefined =>
  containers.find(
    ({ metadata, podSandboxId }) =>
      metadata?.name === name && metadata.attempt === restartCount && podSandboxId === sandbox.id,
  );

/** Resolves with the agent's id of the container. */
export const startContainer = async (parts: Parts, spec: ContainerSpec): Promise<string> => {
  if (!isSafeName(spec.name)) throw new Error(`the name "${spec.name}" cannot be the name of a folder`);
  const { uid } = spec.pod;
  const [sandbox] = await sandboxesOf(parts, uid);
  if (sandbox?.state !== 'SANDBOX_READY') throw new Error('the sandbox of the pod is not ready');
  const started = findStarted(await containersOf(parts, uid), spec, sandbox);
  const containerId = started?.id ?? (await create(parts, spec, sandbox));
  if (!started || started.state === 'CONTAINER_CREATED')
    await parts.client.runtime.startContainer({ containerId });
  return containerIdOf(await parts.name(), containerId);
};
