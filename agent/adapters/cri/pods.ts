/** The pods as the runtime has them. */

import { setTimeout as wait } from 'node:timers/promises';
import { optional } from '../../../shared/kube/values/optional.ts';
import type { RuntimePod } from '../../ports/machine/runtime.ts';
import type { RuntimeContainer } from '../../rules/containers/runtime-status.ts';
import { POD_NAME, POD_NAMESPACE, POD_UID } from '../../rules/cri/labels.ts';
import type { Container, ContainerStatus } from '../../rules/cri/messages/containers.ts';
import type { PodSandbox, PodSandboxStatus } from '../../rules/cri/messages/sandboxes.ts';
import {
  asksForLogs,
  isFinal,
  mayBeForMemory,
  milliseconds,
  ownIdOf,
  runtimeContainer,
} from '../../rules/cri/runtime-container.ts';
import { podLogFolder } from '../../rules/runtime/pod-log-folder.ts';
import { unlessGone } from './cri-error.ts';
import { layerOf } from './layers.ts';
import { logEnd } from './logs.ts';
import { type Parts, selector } from './parts.ts';
import { lastMessage } from './pod-files.ts';

/** Newest first. */
export const sandboxesOf = async (parts: Parts, uid?: string): Promise<readonly PodSandbox[]> => {
  const { items } = await parts.client.runtime.listPodSandbox({
    filter: { labelSelector: selector(parts, uid) },
  });
  return items.toSorted((a, b) => b.createdAt - a.createdAt);
};

export const containersOf = async (parts: Parts, uid?: string): Promise<readonly Container[]> => {
  const { containers } = await parts.client.runtime.listContainers({
    filter: { labelSelector: selector(parts, uid) },
  });
  return containers;
};

const lastWordsOf = async (parts: Parts, uid: string, status: ContainerStatus): Promise<string> => {
  if (status.state !== 'CONTAINER_EXITED') return '';
  const { name = '', attempt = 0 } = status.metadata ?? {};
  const said = await lastMessage(parts.options.root, { uid, name, restartCount: attempt });
  return said === '' && asksForLogs(status) ? await logEnd(status.logPath) : said;
};

/** How long an end is waited for that the runtime has not told the reason of. */
const REASON_MS = 500;

/** `undefined`: it was removed meanwhile. */
const readStatus = async (parts: Parts, containerId: string): Promise<ContainerStatus | undefined> => {
  const { client, options } = parts;
  const ask = async () => (await unlessGone(client.runtime.containerStatus({ containerId })))?.status;
  const status = await ask();
  if (!(status && mayBeForMemory(status, options.now()))) return status;
  await wait(REASON_MS);
  return await ask();
};

/** `undefined`: it was removed meanwhile. */
const readContainer = async (
  parts: Parts,
  uid: string,
  { id: containerId }: Container,
): Promise<RuntimeContainer | undefined> => {
  const known = parts.ended.get(containerId);
  if (known) return known;
  const status = await readStatus(parts, containerId);
  if (!status) return undefined;
  const container = runtimeContainer(await parts.name(), status, await lastWordsOf(parts, uid, status));
  if (isFinal(status, parts.options.now())) parts.ended.set(containerId, container);
  return container;
};

const ipsOf = ({ network }: PodSandboxStatus): readonly string[] =>
  [network?.ip ?? '', ...(network?.additionalIps ?? []).map(({ ip }) => ip)].filter((ip) => ip !== '');

/** The newest sandbox, if containers can be started in it: one without an address has lost its network. */
const readSandbox = async (
  { client }: Parts,
  newest: PodSandbox | undefined,
): Promise<Pick<RuntimePod, 'sandboxCreatedAt' | 'ips'>> => {
  if (newest?.state !== 'SANDBOX_READY') return { ips: [] };
  const found = await unlessGone(client.runtime.podSandboxStatus({ podSandboxId: newest.id }));
  const status = found?.status;
  if (status?.state !== 'SANDBOX_READY') return { ips: [] };
  const ips = ipsOf(status);
  const isOnHost = status.linux?.namespaces?.options?.network === 'NODE';
  return isOnHost || ips.length > 0 ? { sandboxCreatedAt: milliseconds(newest.createdAt), ips } : { ips };
};

/** Who a sandbox is of. */
export const identityIn = (labels: Readonly<Record<string, string>>) => ({
  namespace: labels[POD_NAMESPACE] ?? '',
  name: labels[POD_NAME] ?? '',
  uid: labels[POD_UID] ?? '',
});

const measured = (parts: Parts, pod: RuntimePod['pod'], containers: readonly RuntimeContainer[]) => {
  const { groups, options } = parts;
  const logs = podLogFolder(options.logRoot, pod);
  const running = containers.filter(({ state }) => state === 'running');
  return {
    cgroup: groups.groupOf(pod.uid),
    containers: running.map(({ id, name, startedAt }) => ({
      name,
      ...optional('startedAt', startedAt),
      cgroup: groups.containerOf(pod.uid, ownIdOf(id)),
      logs: `${logs}/${name}`,
      layer: () => layerOf(parts, ownIdOf(id)),
    })),
  };
};

const readPod = async (
  parts: Parts,
  sandboxes: readonly PodSandbox[],
  containers: readonly Container[],
): Promise<RuntimePod | undefined> => {
  const labels = sandboxes[0]?.labels ?? containers[0]?.labels;
  if (!labels) return undefined;
  const pod = identityIn(labels);
  const read = await Promise.all(containers.map((one) => readContainer(parts, pod.uid, one)));
  const there = read.filter((one) => one !== undefined);
  return {
    pod,
    containers: there,
    measure: measured(parts, pod, there),
    ...(await readSandbox(parts, sandboxes[0])),
  };
};

export const readRuntimePod = async (parts: Parts, uid: string): Promise<RuntimePod | undefined> => {
  const [sandboxes, containers] = await Promise.all([sandboxesOf(parts, uid), containersOf(parts, uid)]);
  return await readPod(parts, sandboxes, containers);
};

const uidIn = ({ labels }: PodSandbox | Container): string => labels[POD_UID] ?? '';

export const readRuntimePods = async (parts: Parts): Promise<readonly RuntimePod[]> => {
  const [sandboxes, containers] = await Promise.all([sandboxesOf(parts), containersOf(parts)]);
  const [ofSandboxes, ofContainers] = [Map.groupBy(sandboxes, uidIn), Map.groupBy(containers, uidIn)];
  const pods: RuntimePod[] = [];
  for (const uid of new Set([...ofSandboxes.keys(), ...ofContainers.keys()])) {
    const pod = await readPod(parts, ofSandboxes.get(uid) ?? [], ofContainers.get(uid) ?? []);
    if (pod) pods.push(pod);
  }
  for (const id of parts.ended.keys()) if (!containers.some((one) => one.id === id)) parts.ended.delete(id);
  return pods;
};
