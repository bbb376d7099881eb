/**
 * Rules for security contexts. Source: core validation v1.34 `validatePodSpecSecurityContext`,
 * `ValidateSecurityContext`.
 */

import type { FieldError } from '../../kube/errors/field-error.ts';
import { duplicate, invalidValue, notSupported, required } from '../../kube/errors/field-error.ts';
import type { PodSpec } from '../../kube/types/core.ts';
import { printedSecurityContext } from './internal-pod-spec.ts';
import type { Profiles } from './security-profiles.ts';
import { validateAppArmor, validateSeccomp } from './security-profiles.ts';

interface Identity extends Profiles {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
}

interface Sysctl {
  readonly name?: string;
}

interface PodSecurityContext extends Identity {
  readonly fsGroup?: number;
  readonly supplementalGroups?: readonly number[];
  readonly sysctls?: readonly Sysctl[];
  readonly fsGroupChangePolicy?: string;
  readonly supplementalGroupsPolicy?: string;
  readonly seLinuxChangePolicy?: string;
}

export interface SecurityContext extends Identity {
  readonly procMount?: string;
  readonly privileged?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  readonly capabilities?: { readonly add?: readonly string[] };
}

const MAX_ID = 2_147_483_647;

const idFaults = (id: number | undefined, field: string): readonly FieldError[] =>
  id === undefined || (id >= 0 && id <= MAX_ID)
    ? []
    : [invalidValue(field, id, `must be between 0 and ${MAX_ID}, inclusive`)];

const oneOfThese = (
  value: string | undefined,
  field: string,
  supported: readonly string[],
): readonly FieldError[] =>
  value === undefined || supported.includes(value) ? [] : [notSupported(field, value, supported)];

const SYSCTL = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';
const MAX_SYSCTL = 253;

const sysctlNameFaults = (name: string, seen: ReadonlySet<string>, field: string): readonly FieldError[] => {
  if (name === '') return [required(field)];
  if (name.length > MAX_SYSCTL || !new RegExp(SYSCTL).test(name))
    return [
      invalidValue(field, name, `must have at most ${MAX_SYSCTL} characters and match regex ${SYSCTL}`),
    ];
  return seen.has(name) ? [duplicate(field, name)] : [];
};

const OF_IPC = /^(?:kernel[./](?:shm|msg|sem$)|fs[./]mqueue[./])/;

/** A sysctl of a kernel namespace may not be set if the Pod uses the host's namespace. */
const sharedFaults = (name: string, spec: PodSpec, field: string): readonly FieldError[] => {
  if (spec['hostNetwork'] === true && /^net[./]/.test(name))
    return [invalidValue(field, name, "may not be specified when 'hostNetwork' is true")];
  return spec['hostIPC'] === true && OF_IPC.test(name)
    ? [invalidValue(field, name, "may not be specified when 'hostIPC' is true")]
    : [];
};

const sysctlsFaults = (sysctls: readonly Sysctl[], spec: PodSpec, at: string): readonly FieldError[] => {
  const seen = new Set<string>();
  return sysctls.flatMap(({ name = '' }, index) => {
    const field = `${at}[${index}].name`;
    const faults = [...sysctlNameFaults(name, seen, field), ...sharedFaults(name, spec, field)];
    seen.add(name);
    return faults;
  });
};

const processFaults = (spec: PodSpec, field: string): readonly FieldError[] =>
  spec['shareProcessNamespace'] === true && spec['hostPID'] === true
    ? [invalidValue(field, true, 'ShareProcessNamespace and HostPID cannot both be enabled')]
    : [];

/**
 * Rules for a Pod's security context. Errors about fields of `spec` itself are reported under `securityContext`, too.
 */
export const validatePodSecurity = (spec: PodSpec, at = 'spec.securityContext'): readonly FieldError[] => {
  const context = (spec['securityContext'] ?? {}) as PodSecurityContext;
  return [
    ...idFaults(context.fsGroup, `${at}.fsGroup`),
    ...idFaults(context.runAsUser, `${at}.runAsUser`),
    ...idFaults(context.runAsGroup, `${at}.runAsGroup`),
    ...(context.supplementalGroups ?? []).flatMap((id, index) =>
      idFaults(id, `${at}.supplementalGroups[${index}]`),
    ),
    ...processFaults(spec, `${at}.shareProcessNamespace`),
    ...sysctlsFaults(context.sysctls ?? [], spec, `${at}.sysctls`),
    ...oneOfThese(context.fsGroupChangePolicy, `${at}.fsGroupChangePolicy`, ['Always', 'OnRootMismatch']),
    ...validateSeccomp(context.seccompProfile, `${at}.seccompProfile`),
    ...validateAppArmor(context.appArmorProfile, `${at}.appArmorProfile`),
    ...oneOfThese(context.supplementalGroupsPolicy, `${at}.supplementalGroupsPolicy`, ['Merge', 'Strict']),
    // The feature gate of the other policy is off by default.
    ...oneOfThese(context.seLinuxChangePolicy, `${at}.seLinuxChangePolicy`, ['Recursive']),
  ];
};

const procMountFaults = (
  procMount: string | undefined,
  hostUsers: boolean,
  field: string,
): readonly FieldError[] => [
  ...oneOfThese(procMount, field, ['Default', 'Unmasked']),
  ...(hostUsers && procMount === 'Unmasked'
    ? [invalidValue(field, procMount, '`hostUsers` must be false to use `Unmasked`')]
    : []),
];

const escalationFaults = (context: SecurityContext, at: string): readonly FieldError[] => {
  if (context.allowPrivilegeEscalation !== false) return [];
  const [printed, text] = [
    printedSecurityContext(context),
    'cannot set `allowPrivilegeEscalation` to false and',
  ];
  return [
    ...(context.privileged === true ? [invalidValue(at, printed, `${text} \`privileged\` to true`)] : []),
    ...(context.capabilities?.add?.includes('CAP_SYS_ADMIN')
      ? [invalidValue(at, printed, `${text} \`capabilities.Add\` CAP_SYS_ADMIN`)]
      : []),
  ];
};

/** Rules for a container's security context. `hostUsers` is the Pod's. */
export const validateSecurity = (
  context: SecurityContext,
  hostUsers: boolean,
  at: string,
): readonly FieldError[] => [
  ...idFaults(context.runAsUser, `${at}.runAsUser`),
  ...idFaults(context.runAsGroup, `${at}.runAsGroup`),
  ...procMountFaults(context.procMount, hostUsers, `${at}.procMount`),
  ...validateSeccomp(context.seccompProfile, `${at}.seccompProfile`),
  ...escalationFaults(context, at),
  ...validateAppArmor(context.appArmorProfile, `${at}.appArmorProfile`),
];
