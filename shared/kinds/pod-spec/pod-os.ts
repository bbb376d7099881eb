/**
 * Fields that a Pod of one operating system may not set. Source: core validation v1.34 `validateOS`, `validateLinux`,
 * `validateWindows`.
 */

import type { FieldError } from '../../kube/errors/field-error.ts';
import { forbiddenField, notSupported, required } from '../../kube/errors/field-error.ts';
import type { PodSpec } from '../../kube/types/core.ts';

type Fields = Readonly<Record<string, unknown>>;

const NOT_WINDOWS = 'cannot be set for a windows pod';
const NOT_LINUX = 'windows options cannot be set for a linux pod';

/** Fields in the order in which they are checked. */
const POD_FIELDS = [
  'securityContext.appArmorProfile',
  'securityContext.seLinuxOptions',
  'hostUsers',
  'hostPID',
  'hostIPC',
  'securityContext.seccompProfile',
  'securityContext.fsGroup',
  'securityContext.fsGroupChangePolicy',
  'securityContext.sysctls',
  'shareProcessNamespace',
  'securityContext.runAsUser',
  'securityContext.runAsGroup',
  'securityContext.supplementalGroups',
  'securityContext.supplementalGroupsPolicy',
  'securityContext.seLinuxChangePolicy',
] as const;

const CONTAINER_FIELDS = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const;

const UNSET_WHEN_FALSE: readonly string[] = ['hostPID', 'hostIPC'];

const isSet = (spec: PodSpec, path: string): boolean => {
  const [name = '', inner] = path.split('.');
  const value = inner === undefined ? spec[name] : (spec[name] as Fields | undefined)?.[inner];
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && !(UNSET_WHEN_FALSE.includes(path) && value === false);
};

const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

const securityFaults = (
  spec: PodSpec,
  fields: readonly string[],
  text: string,
  at: string,
): readonly FieldError[] =>
  LISTS.flatMap((list) =>
    ((spec[list] ?? []) as readonly { readonly securityContext?: Fields }[]).flatMap((container, index) =>
      fields
        .filter((field) => container.securityContext?.[field] !== undefined)
        .map((field) => forbiddenField(`${at}.${list}[${index}].securityContext.${field}`, text)),
    ),
  );

const linuxFaults = (spec: PodSpec, at: string): readonly FieldError[] => [
  ...(isSet(spec, 'securityContext.windowsOptions')
    ? [forbiddenField(`${at}.securityContext.windowsOptions`, NOT_LINUX)]
    : []),
  ...securityFaults(spec, ['windowsOptions'], NOT_LINUX, at),
];

const windowsFaults = (spec: PodSpec, at: string): readonly FieldError[] => [
  ...POD_FIELDS.filter((path) => isSet(spec, path)).map((path) =>
    forbiddenField(`${at}.${path}`, NOT_WINDOWS),
  ),
  ...securityFaults(spec, CONTAINER_FIELDS, NOT_WINDOWS, at),
];

/** Rules for the operating system that `spec.os` names, if it names one. */
export const validateOs = (spec: PodSpec, at = 'spec'): readonly FieldError[] => {
  const os = spec['os'] as { readonly name?: string } | undefined;
  if (!os) return [];
  if (!os.name) return [required(`${at}.os.name`, 'cannot be empty')];
  if (os.name === 'linux') return linuxFaults(spec, at);
  return os.name === 'windows'
    ? windowsFaults(spec, at)
    : [notSupported(`${at}.os`, os.name, ['linux', 'windows'])];
};

/** `hostUsers: false` excludes the host's namespaces. Kubernetes prints two of the paths with a capital letter. */
export const validateHostUsers = (spec: PodSpec, at = 'spec'): readonly FieldError[] =>
  spec['hostUsers'] === false
    ? (
        [
          ['hostNetwork', 'hostNetwork'],
          ['hostPID', 'HostPID'],
          ['hostIPC', 'HostIPC'],
        ] as const
      )
        .filter(([field]) => spec[field] === true)
        .map(([, printed]) => forbiddenField(`${at}.${printed}`, 'when `pod.Spec.HostUsers` is false'))
    : [];
