/** Labels and annotations of sandboxes and containers. Source: kubernetes v1.34 pkg/kubelet/kuberuntime `labels.go`. */

import type { AgentPod } from '../containers/agent-pod.ts';
import type { Container } from '../containers/container.ts';

export const POD_NAME = 'io.kubernetes.pod.name';
export const POD_NAMESPACE = 'io.kubernetes.pod.namespace';
export const POD_UID = 'io.kubernetes.pod.uid';
export const CONTAINER_NAME = 'io.kubernetes.container.name';
/** Which agent a sandbox or a container belongs to: the runtime may have those of others, too. */
export const AGENT = 'rollcall.dev/agent';

export const RESTART_COUNT = 'io.kubernetes.container.restartCount';
const MESSAGE_PATH = 'io.kubernetes.container.terminationMessagePath';
export const MESSAGE_POLICY = 'io.kubernetes.container.terminationMessagePolicy';
/** The image as the pod's specification named it. */
export const WANTED_IMAGE = 'rollcall.dev/wanted-image';

type Texts = Readonly<Record<string, string>>;

const identity = ({ metadata: { name, namespace = '', uid = '' } }: AgentPod, agent: string): Texts => ({
  [POD_NAME]: name,
  [POD_NAMESPACE]: namespace,
  [POD_UID]: uid,
  [AGENT]: agent,
});

export const sandboxLabels = (pod: AgentPod, agent: string): Texts => ({
  ...pod.metadata.labels,
  ...identity(pod, agent),
});

export const containerLabels = (pod: AgentPod, container: Container, agent: string): Texts => ({
  ...identity(pod, agent),
  [CONTAINER_NAME]: container.name,
});

const seconds = (key: string, value: unknown): Texts =>
  typeof value === 'number' ? { [key]: String(value) } : {};

const json = (key: string, value: unknown): Texts =>
  value === undefined || (Array.isArray(value) && value.length === 0) ? {} : { [key]: JSON.stringify(value) };

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export const containerAnnotations = (
  { metadata, spec }: AgentPod,
  container: Container,
  restartCount: number,
): Texts => ({
  [RESTART_COUNT]: String(restartCount),
  [MESSAGE_PATH]: textOf(container['terminationMessagePath']),
  [MESSAGE_POLICY]: textOf(container['terminationMessagePolicy']),
  [WANTED_IMAGE]: container.image ?? '',
  ...seconds('io.kubernetes.pod.deletionGracePeriod', metadata.deletionGracePeriodSeconds),
  ...seconds('io.kubernetes.pod.terminationGracePeriod', spec.terminationGracePeriodSeconds),
  ...json('io.kubernetes.container.preStopHandler', container.lifecycle?.preStop),
  ...json('io.kubernetes.container.ports', container['ports']),
});
