/** What a container is kept from. Source: kubernetes v1.34 pkg/securitycontext; containerd `WithCapabilities`. */
import type { AgentPod } from './agent-pod.ts';
import type { Container } from './container.ts';

interface SecurityContext {
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
  readonly privileged?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  readonly readOnlyRootFilesystem?: boolean;
  readonly seccompProfile?: { readonly type?: string };
}

export interface Confinement {
  /** Programs with the set-user-id bit give nothing more to it. */
  readonly hasNoNewPrivileges?: boolean;
  /** The capabilities that are left, as `setpriv --bounding-set` reads them; absent: all of the agent's. */
  readonly boundingSet?: string;
  /** Only its volumes, `/proc`, `/sys` and `/dev` can be written to. */
  readonly hasReadOnlyRoot?: boolean;
  /** The runtime's own filter of system calls: the profile `RuntimeDefault`. Absent: none. */
  readonly callFilter?: {
    /** The capabilities that it would have in a container runtime: they open the calls that are of no use without them. */
    readonly capabilities: readonly string[];
  };
}

/** In the order of their bits. Source: Linux `capability.h`. */
export const CAPABILITIES: ReadonlySet<string> = new Set([
  'chown',
  'dac_override',
  'dac_read_search',
  'fowner',
  'fsetid',
  'kill',
  'setgid',
  'setuid',
  'setpcap',
  'linux_immutable',
  'net_bind_service',
  'net_broadcast',
  'net_admin',
  'net_raw',
  'ipc_lock',
  'ipc_owner',
  'sys_module',
  'sys_rawio',
  'sys_chroot',
  'sys_ptrace',
  'sys_pacct',
  'sys_admin',
  'sys_boot',
  'sys_nice',
  'sys_resource',
  'sys_time',
  'sys_tty_config',
  'mknod',
  'lease',
  'audit_write',
  'audit_control',
  'setfcap',
  'mac_override',
  'mac_admin',
  'syslog',
  'wake_alarm',
  'block_suspend',
  'audit_read',
  'perfmon',
  'bpf',
  'checkpoint_restore',
]);

/** `CAP_NET_RAW` and `NET_RAW` are the same. */
export const plainName = (name: string): string => name.toLowerCase().replace(/^cap_/, '');

const ALL = 'all';

const isKnown = (name: string): boolean => name === ALL || CAPABILITIES.has(name);

/** What a program would need to make its root writable again. */
const REMOUNTS = 'sys_admin';

/** A capability that is dropped and added is dropped. */
const boundingSetOf = (context: SecurityContext): string | undefined => {
  const { capabilities: { add = [], drop = [] } = {}, privileged = false, readOnlyRootFilesystem } = context;
  const [added, dropped] = [new Set(add.map(plainName)), new Set(drop.map(plainName))];
  if (readOnlyRootFilesystem === true && !privileged && !added.has(REMOUNTS)) dropped.add(REMOUNTS);
  if (dropped.size === 0) return undefined;
  const lost = [...dropped].filter((name) => name !== ALL).map((name) => `-${name}`);
  if (!dropped.has(ALL) || added.has(ALL)) return lost.length === 0 ? undefined : lost.join(',');
  const kept = [...added].filter((name) => !dropped.has(name)).map((name) => `+${name}`);
  return ['-all', ...kept].join(',');
};

/** What a container runtime gives to a container that says nothing. Source: containerd `defaultUnixCaps`. */
export const USUAL_CAPABILITIES: readonly string[] = [
  'chown',
  'dac_override',
  'fsetid',
  'fowner',
  'mknod',
  'net_raw',
  'setgid',
  'setuid',
  'setfcap',
  'setpcap',
  'net_bind_service',
  'sys_chroot',
  'kill',
  'audit_write',
];

/** A privileged container is not filtered, whatever it says. Source: containerd `generateSeccompSpecOpts`. */
const callFilterOf = (
  pod: AgentPod,
  context: SecurityContext,
  isDefault: boolean,
): Confinement['callFilter'] => {
  const { capabilities: { add = [], drop = [] } = {}, privileged = false } = context;
  const ofPod: SecurityContext = pod.spec['securityContext'] ?? {};
  const profile = context.seccompProfile ?? ofPod.seccompProfile;
  const type = profile?.type ?? (isDefault ? 'RuntimeDefault' : 'Unconfined');
  if (type !== 'RuntimeDefault' || privileged) return undefined;
  const [added, dropped] = [add.map(plainName), new Set(drop.map(plainName))];
  const had = added.includes(ALL)
    ? CAPABILITIES
    : new Set([...(dropped.has(ALL) ? [] : USUAL_CAPABILITIES), ...added]);
  return { capabilities: [...had].filter((name) => !dropped.has(name)) };
};

/** Of a container; or which of its capabilities nobody knows. */
export const confinementOf = (
  pod: AgentPod,
  container: Container,
  filtersCallsByDefault = false,
): { readonly confinement?: Confinement } | { readonly fault: string } => {
  const context: SecurityContext = container['securityContext'] ?? {};
  const { add = [], drop = [] } = context.capabilities ?? {};
  const unknown = [...add, ...drop].find((name) => !isKnown(plainName(name)));
  if (unknown !== undefined)
    return { fault: `unknown capability "${unknown}" in container ${container.name}` };
  const boundingSet = boundingSetOf(context);
  const callFilter = callFilterOf(pod, context, filtersCallsByDefault);
  const confinement: Confinement = {
    ...(context.allowPrivilegeEscalation === false && { hasNoNewPrivileges: true }),
    ...(boundingSet !== undefined && { boundingSet }),
    ...(context.readOnlyRootFilesystem === true && { hasReadOnlyRoot: true }),
    ...(callFilter && { callFilter }),
  };
  return Object.keys(confinement).length === 0 ? {} : { confinement };
};
