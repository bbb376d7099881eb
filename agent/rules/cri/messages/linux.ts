/** Parts that sandboxes and containers share. Source of names and numbers: Container Runtime Interface `runtime.v1`. */
import {
  bool,
  type Draft,
  integer,
  message,
  messages,
  oneOf,
  text,
  textMap,
  texts,
} from '../wire/describe.ts';

const NAMESPACE_MODES = ['POD', 'CONTAINER', 'NODE', 'TARGET'] as const;

const IdMapping = { hostId: integer(1), containerId: integer(2), length: integer(3) };

export const NamespaceOption = {
  network: oneOf(1, NAMESPACE_MODES),
  pid: oneOf(2, NAMESPACE_MODES),
  ipc: oneOf(3, NAMESPACE_MODES),
  targetId: text(4),
  usernsOptions: message(5, {
    mode: oneOf(1, NAMESPACE_MODES),
    uids: messages(2, IdMapping),
    gids: messages(3, IdMapping),
  }),
};

export const SecurityProfile = {
  profileType: oneOf(1, ['RuntimeDefault', 'Unconfined', 'Localhost']),
  localhostRef: text(2),
};

export const SelinuxOption = { user: text(1), role: text(2), type: text(3), level: text(4) };

export const GROUP_POLICIES = ['Merge', 'Strict'] as const;

export const LinuxResources = {
  /** Microseconds. */
  cpuPeriod: integer(1),
  /** Microseconds. */
  cpuQuota: integer(2),
  cpuShares: integer(3),
  memoryLimitInBytes: integer(4),
  oomScoreAdj: integer(5),
  cpusetCpus: text(6),
  cpusetMems: text(7),
  hugepageLimits: messages(8, { pageSize: text(1), limit: integer(2) }),
  /** Files of a control group of version 2, with what is written to them. */
  unified: textMap(9),
  /** Memory and swap together. */
  memorySwapLimitInBytes: integer(10),
};
export type LinuxResources = Draft<typeof LinuxResources>;

export const ImageSpec = {
  /** Name or id. */
  image: text(1),
  annotations: textMap(2),
  /** As the pod's specification names it. */
  userSpecifiedImage: text(18),
  runtimeHandler: text(19),
  imageRef: text(20),
};

export const Mount = {
  containerPath: text(1),
  hostPath: text(2),
  readonly: bool(3),
  selinuxRelabel: bool(4),
  propagation: oneOf(5, [
    'PROPAGATION_PRIVATE',
    'PROPAGATION_HOST_TO_CONTAINER',
    'PROPAGATION_BIDIRECTIONAL',
  ]),
  recursiveReadOnly: bool(8),
  image: message(9, ImageSpec),
  imageSubPath: text(10),
};

export const Capability = {
  addCapabilities: texts(1),
  dropCapabilities: texts(2),
  addAmbientCapabilities: texts(3),
};
