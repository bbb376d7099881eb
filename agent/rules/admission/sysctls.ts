/** Kernel parameters that pods may set. Source: kubernetes v1.34 pkg/kubelet/sysctl. */

import { quote } from '../../../shared/kube/text/go-quote.ts';
import type { Pod } from '../../../shared/kube/types/core.ts';
import { ADMITTED, rejection, type Verdict } from '../pods/verdict.ts';

/** The namespace of the kernel that a parameter belongs to, as messages name it. */
type Namespace = 'IPC' | 'Net';

/** Parameters that pods may set: by name, and by the beginning of their names. */
export interface SysctlAllowlist {
  readonly names: ReadonlyMap<string, Namespace>;
  readonly prefixes: ReadonlyMap<string, Namespace>;
}

/** Parameters that touch only the pod that sets them. The kernels that lack one of them are older than those that Node runs on. */
export const SAFE_SYSCTLS: readonly string[] = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_wmem',
];

const PATTERN = String.raw`([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*([a-z0-9][-_a-z0-9]*)?[a-z0-9*]`;
const WHOLE_PATTERN = new RegExp(`^${PATTERN}$`);
const MOST_CHARACTERS = 253;

const SWAPPED: Readonly<Record<string, string>> = { '.': '/', '/': '.' };

/** The name with points between its parts: `a/b/c.d` is `a.b.c/d`. The separator that comes first tells which form it is. */
const normalized = (name: string): string =>
  /^[^./]*\//.test(name) ? name.replaceAll(/[./]/g, (separator) => SWAPPED[separator] ?? separator) : name;

/** The namespace of a parameter, or of all parameters that begin so. */
const namespaceOf = (name: string): Namespace | undefined => {
  if (name === 'kernel.sem' || /^(?:kernel\.(?:shm|msg)|fs\.mqueue\.)/.test(name)) return 'IPC';
  return name.startsWith('net.') ? 'Net' : undefined;
};

const isPattern = (text: string): boolean => text.length <= MOST_CHARACTERS && WHOLE_PATTERN.test(text);

interface Entry {
  readonly isPrefix: boolean;
  readonly name: string;
  readonly namespace: Namespace;
}

/** One entry of `allowedUnsafeSysctls`, or what is wrong with it. */
const entryOf = (pattern: string): Entry | { readonly error: string } => {
  if (!isPattern(pattern))
    return {
      error: `sysctl ${quote(pattern)} must have at most ${MOST_CHARACTERS} characters and match regex ${PATTERN}`,
    };
  const whole = normalized(pattern);
  const isPrefix = whole.endsWith('*');
  const name = isPrefix ? whole.slice(0, -1) : whole;
  const namespace = namespaceOf(name);
  return namespace
    ? { isPrefix, name, namespace }
    : { error: `the sysctls ${quote(name)} are not known to be namespaced` };
};

/**
 * The safe parameters and those that the configuration allows (`allowedUnsafeSysctls`: names, or beginnings with `*`). An entry
 * that is no name, or whose parameters all pods share, is an error.
 */
export const sysctlAllowlist = (allowed: readonly string[]): SysctlAllowlist | { readonly error: string } => {
  const entries = [...SAFE_SYSCTLS, ...allowed].map(entryOf);
  const wrong = entries.find((entry) => 'error' in entry);
  if (wrong) return wrong;
  const named = (isPrefix: boolean) =>
    new Map(
      entries
        .filter((entry): entry is Entry => !('error' in entry) && entry.isPrefix === isPrefix)
        .map(({ name, namespace }) => [name, namespace]),
    );
  return { names: named(false), prefixes: named(true) };
};

const sharesWithHost = ({ spec }: Pick<Pod, 'spec'>, namespace: Namespace): boolean =>
  spec[namespace === 'IPC' ? 'hostIPC' : 'hostNetwork'] === true;

/** Why the pod may not set the parameter; `undefined` if it may. */
const faultOf = ({ names, prefixes }: SysctlAllowlist, pod: Pick<Pod, 'spec'>, given: string) => {
  const name = normalized(given);
  const namespace = names.get(name) ?? [...prefixes].find(([prefix]) => name.startsWith(prefix))?.[1];
  if (namespace === undefined) return `${quote(name)} not allowlisted`;
  return sharesWithHost(pod, namespace)
    ? `${quote(name)} not allowed with host ${namespace} enabled`
    : undefined;
};

/** Whether the pod sets only parameters that it may set. */
export const admitSysctls = (list: SysctlAllowlist, pod: Pick<Pod, 'spec'>): Verdict => {
  const { sysctls = [] } = (pod.spec['securityContext'] ?? {}) as {
    readonly sysctls?: readonly { readonly name: string }[];
  };
  const fault = sysctls.map(({ name }) => faultOf(list, pod, name)).find((text) => text !== undefined);
  return fault === undefined ? ADMITTED : rejection('SysctlForbidden', `forbidden sysctl: ${fault}`);
};
