/** What a sandbox and a container may do. Source: kubernetes v1.34 pkg/kubelet/kuberuntime `security_context.go`, `helpers.go`. */

import type { AgentPod } from '../containers/agent-pod.ts';
import type { Container } from '../containers/container.ts';
import type { ContainerSecurityContext } from './messages/containers.ts';
import type { NamespaceOption, SecurityProfile } from './messages/linux.ts';
import type { Draft } from './wire/describe.ts';

interface Profile {
  readonly type?: string;
  readonly localhostProfile?: string;
}

interface Context {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
  readonly privileged?: boolean;
  readonly readOnlyRootFilesystem?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  readonly procMount?: string;
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
  readonly seLinuxOptions?: Readonly<Record<'user' | 'role' | 'type' | 'level', string>>;
  readonly seccompProfile?: Profile;
  readonly appArmorProfile?: Profile;
  readonly supplementalGroups?: readonly number[];
  readonly supplementalGroupsPolicy?: 'Merge' | 'Strict';
  readonly fsGroup?: number;
  readonly sysctls?: readonly { readonly name: string; readonly value: string }[];
}

export const contextOf = (one: { readonly [field: string]: unknown }): Context =>
  one['securityContext'] ?? {};

/** Whom an image runs as, unless the pod says otherwise. */
export interface ImageUser {
  readonly uid?: number;
  readonly name?: string;
}

/** How profiles for system calls are chosen. */
export interface SeccompSettings {
  /** Folder of the profiles that pods name. */
  readonly profiles: string;
  /** Whether pods that say nothing get the runtime's profile. Kubelet: `seccompDefault`. */
  readonly isDefault: boolean;
}

/** Source: kubernetes v1.34 pkg/securitycontext `defaultMaskedPaths`; those of single processors are left to the runtime. */
const MASKED = [
  '/proc/asound',
  '/proc/acpi',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/sys/firmware',
  '/sys/devices/virtual/powercap',
];
const READ_ONLY = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];

/** Network, processes and IPC: of the host, of the pod, or of the container alone. */
export const namespaces = ({ spec }: AgentPod): Draft<typeof NamespaceOption> => {
  const shared = spec['shareProcessNamespace'] === true ? 'POD' : 'CONTAINER';
  return {
    network: spec.hostNetwork === true ? 'NODE' : 'POD',
    pid: spec['hostPID'] === true ? 'NODE' : shared,
    ipc: spec['hostIPC'] === true ? 'NODE' : 'POD',
  };
};

type ProfileDraft = Draft<typeof SecurityProfile>;

const seccompOf = (profile: Profile | undefined, { profiles, isDefault }: SeccompSettings): ProfileDraft => {
  const { type = isDefault ? 'RuntimeDefault' : 'Unconfined', localhostProfile = '' } = profile ?? {};
  if (type === 'Localhost') return { profileType: type, localhostRef: `${profiles}/${localhostProfile}` };
  return { profileType: type === 'RuntimeDefault' ? type : 'Unconfined' };
};

const apparmorOf = (profile: Profile | undefined): { readonly apparmor?: ProfileDraft } => {
  if (!profile) return {};
  const { type, localhostProfile = '' } = profile;
  if (type === 'Localhost') return { apparmor: { profileType: type, localhostRef: localhostProfile } };
  return { apparmor: { profileType: type === 'RuntimeDefault' ? type : 'Unconfined' } };
};

const groupsOf = ({ fsGroup, supplementalGroups = [], supplementalGroupsPolicy }: Context) => ({
  supplementalGroups: [...(fsGroup === undefined ? [] : [fsGroup]), ...supplementalGroups],
  ...(supplementalGroupsPolicy && { supplementalGroupsPolicy }),
});

const numbered = <K extends string>(key: K, value: number | undefined) =>
  (value === undefined ? {} : { [key]: { value } }) as { readonly [key in K]?: { readonly value: number } };

export const isPrivileged = (container: Container): boolean => contextOf(container).privileged === true;

/** Of the sandbox itself, which always has the runtime's profile. */
export const sandboxSecurity = (pod: AgentPod) => {
  const context = contextOf(pod.spec);
  const all = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])];
  return {
    namespaceOptions: namespaces(pod),
    privileged: all.some(isPrivileged),
    seccomp: { profileType: 'RuntimeDefault' as const },
    ...numbered('runAsUser', context.runAsUser),
    ...numbered('runAsGroup', context.runAsGroup),
    ...groupsOf(context),
    ...(context.seLinuxOptions && { selinuxOptions: context.seLinuxOptions }),
  };
};

const userOf = (own: Context, pod: Context, image: ImageUser) => {
  const uid = own.runAsUser ?? pod.runAsUser;
  if (uid !== undefined) return { runAsUser: { value: uid } };
  if (image.uid !== undefined) return { runAsUser: { value: image.uid } };
  return image.name ? { runAsUsername: image.name } : {};
};

/** Source: kubernetes v1.34 pkg/securitycontext `AddNoNewPrivileges`. */
const hasNoNewPrivileges = ({ allowPrivilegeEscalation }: Context): boolean =>
  allowPrivilegeEscalation === false;

export const containerSecurity = (
  pod: AgentPod,
  container: Container,
  image: ImageUser,
  seccomp: SeccompSettings,
): ContainerSecurityContext => {
  const [own, ofPod] = [contextOf(container), contextOf(pod.spec)];
  const { add = [], drop = [] } = own.capabilities ?? {};
  const isUnmasked = own.procMount === 'Unmasked';
  const selinux = own.seLinuxOptions ?? ofPod.seLinuxOptions;
  return {
    namespaceOptions: namespaces(pod),
    privileged: own.privileged === true,
    readonlyRootfs: own.readOnlyRootFilesystem === true,
    noNewPrivs: hasNoNewPrivileges(own),
    capabilities: { addCapabilities: add, dropCapabilities: drop },
    ...userOf(own, ofPod, image),
    ...numbered('runAsGroup', own.runAsGroup ?? ofPod.runAsGroup),
    ...groupsOf(ofPod),
    ...(selinux && { selinuxOptions: selinux }),
    seccomp: seccompOf(own.seccompProfile ?? ofPod.seccompProfile, seccomp),
    ...apparmorOf(own.appArmorProfile ?? ofPod.appArmorProfile),
    maskedPaths: isUnmasked ? [] : MASKED,
    readonlyPaths: isUnmasked ? [] : READ_ONLY,
  };
};

const podText = ({ metadata: { name, namespace = '', uid = '' } }: AgentPod): string =>
  `${name}_${namespace}(${uid})`;

/** Why the container may not run as whom it would; `undefined`: it may. Source: `verifyRunAsNonRoot`. */
export const rootFault = (pod: AgentPod, container: Container, image: ImageUser): string | undefined => {
  const [own, ofPod] = [contextOf(container), contextOf(pod.spec)];
  if (!(own.runAsNonRoot ?? ofPod.runAsNonRoot)) return undefined;
  const where = `(pod: "${podText(pod)}", container: ${container.name})`;
  const uid = own.runAsUser ?? ofPod.runAsUser;
  if (uid !== undefined)
    return uid === 0 ? `container's runAsUser breaks non-root policy ${where}` : undefined;
  if (image.uid === 0) return `container has runAsNonRoot and image will run as root ${where}`;
  if (image.uid === undefined && image.name)
    return `container has runAsNonRoot and image has non-numeric user (${image.name}), cannot verify user is non-root ${where}`;
  return image.uid === undefined
    ? `container has runAsNonRoot and image will run as root ${where}`
    : undefined;
};
