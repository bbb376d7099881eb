/** Which capabilities a container has. Source: containerd v1.7 pkg/cri/opts `WithCapabilities`; Linux capabilities(7). */
import type { ContainerSecurityContext } from '../cri/messages/containers.ts';
import type { OciCapabilities } from './runtime-spec.ts';

/** In the order of their bits. Source: Linux `capability.h`. */
const CAPABILITIES: ReadonlySet<string> = new Set([
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

const ALL = 'all';

/** `CAP_NET_RAW` and `NET_RAW` are the same. */
const plainName = (name: string): string => name.toLowerCase().replace(/^cap_/, '');

/** What a container runtime gives to a container that says nothing. Source: containerd `defaultUnixCaps`. */
const USUAL_CAPABILITIES: readonly string[] = [
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

const ociName = (name: string): string => `CAP_${name.toUpperCase()}`;

/** All that this program knows, in the order of their bits. */
export const ALL_CAPABILITIES: readonly string[] = [...CAPABILITIES].map(ociName);

/** The first name in a container's lists that no kernel has; `undefined`: there is none. */
export const unknownCapability = ({
  capabilities: { addCapabilities = [], dropCapabilities = [] } = {},
}: Pick<ContainerSecurityContext, 'capabilities'>): string | undefined =>
  [...addCapabilities, ...dropCapabilities].find((name) => {
    const plain = plainName(name);
    return plain !== ALL && !CAPABILITIES.has(plain);
  });

/** Those whose bits are set in a mask as `/proc/PID/status` has it (hexadecimal). */
export const capabilitiesIn = (mask: string): readonly string[] => {
  const bits = BigInt(`0x${mask || '0'}`);
  return ALL_CAPABILITIES.filter((_name, bit) => ((bits >> BigInt(bit)) & 1n) === 1n);
};

/** The container's own words: `ALL` comes first, then what is added by name, then what is dropped by name. */
const asked = ({
  addCapabilities = [],
  dropCapabilities = [],
}: NonNullable<ContainerSecurityContext['capabilities']>) => {
  const [added, dropped] = [addCapabilities.map(plainName), new Set(dropCapabilities.map(plainName))];
  const first = added.includes(ALL) ? [...CAPABILITIES] : USUAL_CAPABILITIES;
  const begun = dropped.has(ALL) ? [] : first;
  return new Set([...begun, ...added].filter((name) => name !== ALL && !dropped.has(name)).map(ociName));
};

/** Those of a container. The runtime can give none that the agent (`own`) lacks. A privileged container has all of the agent's. */
export const containerCapabilities = (
  { privileged = false, capabilities = {} }: Pick<ContainerSecurityContext, 'privileged' | 'capabilities'>,
  own: readonly string[],
): OciCapabilities => {
  const wanted = asked(capabilities);
  const held = privileged ? own : own.filter((name) => wanted.has(name));
  return { bounding: held, effective: held, permitted: held };
};
