/** Messages about sandboxes. Source of names and numbers: Container Runtime Interface `runtime.v1`. */
import {
  bool,
  type Draft,
  integer,
  integers,
  type Message,
  message,
  messages,
  NumberValue,
  oneOf,
  text,
  textMap,
  texts,
} from '../wire/describe.ts';
import { ContainerStatus } from './containers.ts';
import { GROUP_POLICIES, LinuxResources, NamespaceOption, SecurityProfile, SelinuxOption } from './linux.ts';

const SandboxMetadata = { name: text(1), uid: text(2), namespace: text(3), attempt: integer(4) };

const SandboxSecurityContext = {
  namespaceOptions: message(1, NamespaceOption),
  selinuxOptions: message(2, SelinuxOption),
  runAsUser: message(3, NumberValue),
  readonlyRootfs: bool(4),
  supplementalGroups: integers(5),
  privileged: bool(6),
  runAsGroup: message(8, NumberValue),
  seccomp: message(9, SecurityProfile),
  apparmor: message(10, SecurityProfile),
  supplementalGroupsPolicy: oneOf(11, GROUP_POLICIES),
};

export const PodSandboxConfig = {
  metadata: message(1, SandboxMetadata),
  hostname: text(2),
  logDirectory: text(3),
  dnsConfig: message(4, { servers: texts(1), searches: texts(2), options: texts(3) }),
  portMappings: messages(5, {
    protocol: oneOf(1, ['TCP', 'UDP', 'SCTP']),
    containerPort: integer(2),
    hostPort: integer(3),
    hostIp: text(4),
  }),
  labels: textMap(6),
  annotations: textMap(7),
  linux: message(8, {
    cgroupParent: text(1),
    securityContext: message(2, SandboxSecurityContext),
    sysctls: textMap(3),
    overhead: message(4, LinuxResources),
    resources: message(5, LinuxResources),
  }),
};
export type PodSandboxConfig = Draft<typeof PodSandboxConfig>;

const SANDBOX_STATES = ['SANDBOX_READY', 'SANDBOX_NOTREADY'] as const;

export const RunPodSandboxRequest = { config: message(1, PodSandboxConfig), runtimeHandler: text(2) };
/** Also the request to stop or to remove a sandbox. */
export const SandboxId = { podSandboxId: text(1) };

export const PodSandboxStatusRequest = { podSandboxId: text(1), verbose: bool(2) };

export const PodSandboxStatus = {
  id: text(1),
  metadata: message(2, SandboxMetadata),
  state: oneOf(3, SANDBOX_STATES),
  /** Nanoseconds since 1970. */
  createdAt: integer(4),
  network: message(5, { ip: text(1), additionalIps: messages(2, { ip: text(1) }) }),
  linux: message(6, { namespaces: message(1, { options: message(2, NamespaceOption) }) }),
  labels: textMap(7),
  annotations: textMap(8),
  runtimeHandler: text(9),
};
export type PodSandboxStatus = Message<typeof PodSandboxStatus>;

export const PodSandboxStatusResponse = {
  status: message(1, PodSandboxStatus),
  info: textMap(2),
  containersStatuses: messages(3, ContainerStatus),
  timestamp: integer(4),
};

export const ListPodSandboxRequest = {
  filter: message(1, {
    id: text(1),
    state: message(2, { state: oneOf(1, SANDBOX_STATES) }),
    labelSelector: textMap(3),
  }),
};

export const PodSandbox = {
  id: text(1),
  metadata: message(2, SandboxMetadata),
  state: oneOf(3, SANDBOX_STATES),
  /** Nanoseconds since 1970. */
  createdAt: integer(4),
  labels: textMap(5),
  annotations: textMap(6),
  runtimeHandler: text(7),
};
export type PodSandbox = Message<typeof PodSandbox>;

export const ListPodSandboxResponse = { items: messages(1, PodSandbox) };

export const PortForwardRequest = { podSandboxId: text(1), port: integers(2) };
