/** Messages about containers. Source of names and numbers: Container Runtime Interface `runtime.v1`. */
import {
  bool,
  bytes,
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
import {
  Capability,
  GROUP_POLICIES,
  ImageSpec,
  LinuxResources,
  Mount,
  NamespaceOption,
  SecurityProfile,
  SelinuxOption,
} from './linux.ts';
import { SIGNALS } from './signals.ts';

export const ContainerMetadata = { name: text(1), attempt: integer(2) };

export const ContainerSecurityContext = {
  capabilities: message(1, Capability),
  privileged: bool(2),
  namespaceOptions: message(3, NamespaceOption),
  selinuxOptions: message(4, SelinuxOption),
  runAsUser: message(5, NumberValue),
  runAsUsername: text(6),
  readonlyRootfs: bool(7),
  supplementalGroups: integers(8),
  noNewPrivs: bool(11),
  runAsGroup: message(12, NumberValue),
  maskedPaths: texts(13),
  readonlyPaths: texts(14),
  seccomp: message(15, SecurityProfile),
  apparmor: message(16, SecurityProfile),
  supplementalGroupsPolicy: oneOf(17, GROUP_POLICIES),
};
export type ContainerSecurityContext = Draft<typeof ContainerSecurityContext>;

export const ContainerConfig = {
  metadata: message(1, ContainerMetadata),
  image: message(2, ImageSpec),
  command: texts(3),
  args: texts(4),
  workingDir: text(5),
  envs: messages(6, { key: text(1), value: text(2) }),
  mounts: messages(7, Mount),
  devices: messages(8, { containerPath: text(1), hostPath: text(2), permissions: text(3) }),
  labels: textMap(9),
  annotations: textMap(10),
  /** Below the log directory of the sandbox. */
  logPath: text(11),
  stdin: bool(12),
  stdinOnce: bool(13),
  tty: bool(14),
  linux: message(15, {
    resources: message(1, LinuxResources),
    securityContext: message(2, ContainerSecurityContext),
  }),
  stopSignal: oneOf(18, SIGNALS),
};
export type ContainerConfig = Draft<typeof ContainerConfig>;

export const CONTAINER_STATES = [
  'CONTAINER_CREATED',
  'CONTAINER_RUNNING',
  'CONTAINER_EXITED',
  'CONTAINER_UNKNOWN',
] as const;

/** Also the request to start or to remove a container, to reopen its log, and to ask for its stats. */
export const ContainerId = { containerId: text(1) };
/** `timeout` in seconds. */
export const StopContainerRequest = { containerId: text(1), timeout: integer(2) };

export const ListContainersRequest = {
  filter: message(1, {
    id: text(1),
    state: message(2, { state: oneOf(1, CONTAINER_STATES) }),
    podSandboxId: text(3),
    labelSelector: textMap(4),
  }),
};

export const Container = {
  id: text(1),
  podSandboxId: text(2),
  metadata: message(3, ContainerMetadata),
  image: message(4, ImageSpec),
  imageRef: text(5),
  state: oneOf(6, CONTAINER_STATES),
  /** Nanoseconds since 1970. */
  createdAt: integer(7),
  labels: textMap(8),
  annotations: textMap(9),
  imageId: text(10),
};
export type Container = Message<typeof Container>;

export const ListContainersResponse = { containers: messages(1, Container) };

export const ContainerStatusRequest = { containerId: text(1), verbose: bool(2) };

/** Times are nanoseconds since 1970; 0: not yet. */
export const ContainerStatus = {
  id: text(1),
  metadata: message(2, ContainerMetadata),
  state: oneOf(3, CONTAINER_STATES),
  createdAt: integer(4),
  startedAt: integer(5),
  finishedAt: integer(6),
  exitCode: integer(7),
  image: message(8, ImageSpec),
  imageRef: text(9),
  reason: text(10),
  message: text(11),
  labels: textMap(12),
  annotations: textMap(13),
  mounts: messages(14, Mount),
  logPath: text(15),
  resources: message(16, { linux: message(1, LinuxResources) }),
  imageId: text(17),
  user: message(18, {
    linux: message(1, { uid: integer(1), gid: integer(2), supplementalGroups: integers(3) }),
  }),
  stopSignal: oneOf(19, SIGNALS),
};
export type ContainerStatus = Message<typeof ContainerStatus>;

export const ContainerStatusResponse = { status: message(1, ContainerStatus), info: textMap(2) };

export const UpdateContainerResourcesRequest = {
  containerId: text(1),
  linux: message(2, LinuxResources),
  annotations: textMap(4),
};

/** `timeout` in seconds; 0: none. */
export const ExecSyncRequest = { containerId: text(1), cmd: texts(2), timeout: integer(3) };
export const ExecSyncResponse = { stdout: bytes(1), stderr: bytes(2), exitCode: integer(3) };

export const ExecRequest = {
  containerId: text(1),
  cmd: texts(2),
  tty: bool(3),
  stdin: bool(4),
  stdout: bool(5),
  stderr: bool(6),
};
export const AttachRequest = {
  containerId: text(1),
  stdin: bool(2),
  tty: bool(3),
  stdout: bool(4),
  stderr: bool(5),
};
/** Of the server that streams. */
export const StreamUrl = { url: text(1) };
