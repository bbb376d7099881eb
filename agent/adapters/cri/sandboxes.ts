/** Makes and removes the sandboxes of pods. Source: kubernetes v1.34 pkg/kubelet/kuberuntime `createPodSandbox`. */
import type { SandboxSpec } from '../../ports/machine/runtime.ts';
import { isSafeName } from '../../rules/containers/container-id.ts';
import { linuxResources } from '../../rules/cri/linux-resources.ts';
import type { PodSandbox, PodSandboxConfig } from '../../rules/cri/messages/sandboxes.ts';
import { sandboxConfig } from '../../rules/cri/sandbox-config.ts';
import { podLogFolder } from '../../rules/runtime/pod-log-folder.ts';
import { LOG_FOLDER, makeFolder } from '../linux/closed-folder.ts';
import { unlessGone } from './cri-error.ts';
import { agentOf, type Parts } from './parts.ts';
import { removeFiles } from './pod-files.ts';
import { containersOf, identityIn, readRuntimePod, sandboxesOf } from './pods.ts';

const endSandbox = async ({ client }: Parts, podSandboxId: string): Promise<void> => {
  await unlessGone(client.runtime.stopPodSandbox({ podSandboxId }));
};

const removeSandbox = async (parts: Parts, podSandboxId: string): Promise<void> => {
  await endSandbox(parts, podSandboxId);
  await unlessGone(parts.client.runtime.removePodSandbox({ podSandboxId }));
};

/** The source is there with each sandbox of a runtime that isolates. */
const sourceOf = ({ source }: SandboxSpec) => {
  if (source) return source;
  throw new Error('a sandbox needs the pod of the API');
};

/** Also a part of the request for each of its containers. */
export const configOf = (parts: Parts, spec: SandboxSpec, attempt: number): PodSandboxConfig => {
  const { uid } = spec.pod;
  const { options, groups } = parts;
  return sandboxConfig({
    pod: sourceOf(spec),
    agent: agentOf(parts),
    attempt,
    hostname: spec.hostname,
    logFolder: spec.logFolder,
    cgroupParent: groups.parentOf(uid),
    // What ends with a container must not end its sandbox.
    resources: linuxResources(spec.bounds, options.abilities, 0),
    dns: options.dns(),
  });
};

const isUsed = (containers: Awaited<ReturnType<typeof containersOf>>, { id }: PodSandbox): boolean =>
  containers.some(({ podSandboxId }) => podSandboxId === id);

/** Those before it end; what has ended containers stays, because it has their exit codes. */
const endOlder = async (parts: Parts, uid: string, older: readonly PodSandbox[]): Promise<void> => {
  const containers = await containersOf(parts, uid);
  for (const sandbox of older)
    if (isUsed(containers, sandbox)) await endSandbox(parts, sandbox.id);
    else await removeSandbox(parts, sandbox.id);
};

/** A sandbox takes as long as its network. Source: kubernetes v1.34 cri-client `RunPodSandbox`. */
const SANDBOX_CALLS = 2;

export const createSandbox = async (parts: Parts, spec: SandboxSpec): Promise<void> => {
  const { uid } = spec.pod;
  if (!isSafeName(uid)) throw new Error(`the uid "${uid}" of a pod cannot be the name of a folder`);
  const known = await readRuntimePod(parts, uid);
  if (known?.sandboxCreatedAt !== undefined) return;
  const older = await sandboxesOf(parts, uid);
  await endOlder(parts, uid, older);
  parts.groups.make(uid, spec.bounds);
  makeFolder(spec.logFolder, LOG_FOLDER);
  const attempt = Math.max(-1, ...older.map(({ metadata }) => metadata?.attempt ?? 0)) + 1;
  const { runtimeHandler = '' } = spec;
  await parts.client.runtime.runPodSandbox(
    { config: configOf(parts, spec, attempt), runtimeHandler },
    { timeoutMs: SANDBOX_CALLS * parts.options.callMs },
  );
};

/**
 * Those of the pod's own name, and where its containers have their logs, which may be elsewhere: the folder is told with each sandbox, not
 * by its status.
 */
const logFoldersOf = async (
  { client, options }: Parts,
  sandboxes: readonly PodSandbox[],
  ids: readonly string[],
): Promise<ReadonlySet<string>> => {
  const folders = new Set(sandboxes.map(({ labels }) => podLogFolder(options.logRoot, identityIn(labels))));
  for (const containerId of ids) {
    const { status } = await client.runtime.containerStatus({ containerId });
    const [, folder] = /^(.*)\/[^/]+\/[^/]+$/.exec(status?.logPath ?? '') ?? [];
    if (folder) folders.add(folder);
  }
  return folders;
};

/** Removes all that is left of a pod. */
export const removePod = async (parts: Parts, uid: string): Promise<void> => {
  const [sandboxes, containers] = await Promise.all([sandboxesOf(parts, uid), containersOf(parts, uid)]);
  const ids = containers.map(({ id }) => id);
  const folders = await logFoldersOf(parts, sandboxes, ids);
  for (const { id } of sandboxes) await removeSandbox(parts, id);
  for (const { id: containerId } of await containersOf(parts, uid))
    await unlessGone(parts.client.runtime.removeContainer({ containerId }));
  for (const id of ids) parts.ended.delete(id);
  const { trash, root } = parts.options;
  for (const folder of folders) await trash.discard(folder);
  await removeFiles(trash, root, uid);
  parts.groups.remove(uid);
};
