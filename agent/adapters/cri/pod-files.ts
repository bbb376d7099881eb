/** Files that the agent gives to containers: for their last messages, and with the names of hosts. */
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerSpec } from '../../ports/machine/runtime.ts';
import type { Trash } from '../../ports/machine/trash.ts';
import type { AgentPod } from '../../rules/containers/agent-pod.ts';
import type { ContainerMount } from '../../rules/containers/container-mount.ts';
import { etcHosts } from '../../rules/cri/etc-hosts.ts';
import { endIn } from '../linux/bounded-file.ts';
import { makeFolder, PRIVATE_FOLDER } from '../linux/closed-folder.ts';

/** Source: kubernetes v1.34 `MaxContainerTerminationMessageLength` (bytes). */
const MOST_MESSAGE = 4096;
/** Anybody in the container may write its last message. */
const FOR_ALL = 0o666;
const READ_BY_ALL = 0o644;
const DEFAULT_MESSAGE_PATH = '/dev/termination-log';

const folderOf = (root: string, uid: string): string => join(root, 'pods', uid);

const messageFile = (root: string, { uid, name, restartCount }: ContainerKey): string =>
  join(folderOf(root, uid), `${name}_${restartCount}.message`);

export interface ContainerKey {
  readonly uid: string;
  readonly name: string;
  readonly restartCount: number;
}

/** The file for the last message. */
export const messageMount = (root: string, spec: ContainerSpec): ContainerMount => {
  const { pod, name, restartCount, terminationMessagePath = DEFAULT_MESSAGE_PATH } = spec;
  const source = messageFile(root, { uid: pod.uid, name, restartCount });
  makeFolder(folderOf(root, pod.uid), PRIVATE_FOLDER);
  writeFileSync(source, '', { flag: 'a' });
  chmodSync(source, FOR_ALL);
  return { source, target: terminationMessagePath, isReadOnly: false };
};

/** The end of the last message; empty: none. */
export const lastMessage = async (root: string, key: ContainerKey): Promise<string> =>
  (await endIn(messageFile(root, key), MOST_MESSAGE)) ?? '';

export const removeMessage = (root: string, key: ContainerKey): void =>
  rmSync(messageFile(root, key), { force: true });

const textOfHosts = (): string => {
  try {
    return readFileSync('/etc/hosts', 'utf8');
  } catch {
    return '';
  }
};

/** `/etc/hosts`, unless the container mounts its own; none before the pod has an address. */
export const hostsMount = (
  root: string,
  pod: AgentPod,
  hostname: string,
  ips: readonly string[],
  mounts: readonly ContainerMount[],
): readonly ContainerMount[] => {
  if (mounts.some(({ target }) => target === '/etc/hosts')) return [];
  const text = etcHosts(pod, hostname, ips, textOfHosts);
  if (text === undefined) return [];
  const source = join(folderOf(root, pod.metadata.uid ?? ''), 'etc-hosts');
  makeFolder(folderOf(root, pod.metadata.uid ?? ''), PRIVATE_FOLDER);
  writeFileSync(source, text);
  chmodSync(source, READ_BY_ALL);
  return [{ source, target: '/etc/hosts', isReadOnly: false }];
};

/** Removes the files of a pod. */
export const removeFiles = async (trash: Trash, root: string, uid: string): Promise<void> =>
  await trash.discard(folderOf(root, uid));
