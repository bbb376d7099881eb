/** Rules for the containers of a Pod after defaulting. Source: core validation v1.34 `validateContainers`. */

import type { FieldError } from '../../kube/errors/field-error.ts';
import {
  duplicate,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../kube/errors/field-error.ts';
import { ownMember } from '../../kube/json/own-member.ts';
import type { Amounts } from '../../kube/types/core.ts';
import { dnsLabelFaults } from '../../kube/values/names.ts';
import { compareQuantities } from '../../kube/values/quantity.ts';
import { portNameFaults, portNumberFaults } from '../fields/ports.ts';
import {
  isOvercommitAllowed,
  validateAmount,
  validateContainerResource,
} from '../fields/resource-amounts.ts';
import type { EnvFrom, EnvVar } from './env.ts';
import { validateEnv, validateEnvFrom } from './env.ts';
import { hostPortConflicts } from './host-ports.ts';
import type { VolumeMount } from './mounts.ts';
import { validateMounts } from './mounts.ts';
import type { SecurityContext } from './pod-security.ts';
import { validateSecurity } from './pod-security.ts';
import type { Probed } from './probes.ts';
import { validateProbes } from './probes.ts';

export interface ContainerPort {
  readonly name?: string;
  readonly containerPort?: number;
  readonly hostPort?: number;
  readonly hostIP?: string;
  readonly protocol?: string;
}

export interface Container extends Probed {
  readonly name?: string;
  readonly image?: string;
  readonly imagePullPolicy?: string;
  readonly terminationMessagePolicy?: string;
  readonly ports?: readonly ContainerPort[];
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFrom[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly restartPolicy?: string;
  readonly securityContext?: SecurityContext;
  readonly resources?: { readonly limits?: Amounts; readonly requests?: Amounts };
  readonly [field: string]: unknown;
}

/** Facts about the Pod that the rules for its containers need. */
export interface PodContext {
  /** Names of the pod's volumes. */
  readonly volumes: ReadonlySet<string>;
  /** Whether the containers share the host's user namespace. */
  readonly hostUsers: boolean;
}

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'] as const;
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'] as const;
const MESSAGE_POLICIES = ['FallbackToLogsOnError', 'File'] as const;

/** An empty value is `Required`, an unknown one `NotSupported`. */
export const requiredOneOf = (
  field: string,
  value: string | undefined,
  supported: readonly string[],
): readonly FieldError[] => {
  if (!value) return [required(field)];
  return supported.includes(value) ? [] : [notSupported(field, value, supported)];
};

/** Each name in a list must be a DNS label and unique. Adds the name to `seen`. */
export const validateListedName = (name: string, seen: Set<string>, field: string): readonly FieldError[] => {
  if (name === '') return [required(field)];
  const twice = seen.has(name);
  seen.add(name);
  return [
    ...dnsLabelFaults(name).map((fault) => invalidValue(field, name, fault)),
    ...(twice ? [duplicate(field, name)] : []),
  ];
};

const validateImage = (image: string, field: string): readonly FieldError[] =>
  image === '' ? [required(field)] : [];

/**
 * Image names must not have leading or trailing white space. Kubernetes checks this after everything else, in Pods but not in templates.
 */
export const imageSpaces = (containers: readonly Container[], field: string): readonly FieldError[] =>
  containers.flatMap(({ image = '' }, index) =>
    image === image.trim()
      ? []
      : [invalidValue(`${field}[${index}].image`, image, 'must not have leading or trailing whitespace')],
  );

const validatePortNumber = (port: number | undefined, field: string): readonly FieldError[] =>
  port ? portNumberFaults(port).map((fault) => invalidValue(field, port, fault)) : [];

const validatePortName = (name: string, names: Set<string>, field: string): readonly FieldError[] => {
  if (name === '') return [];
  const faults = portNameFaults(name).map((fault) => invalidValue(field, name, fault));
  if (faults.length > 0) return faults;
  const twice = names.has(name);
  names.add(name);
  return twice ? [duplicate(field, name)] : [];
};

const validatePorts = (ports: readonly ContainerPort[], field: string): readonly FieldError[] => {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const at = `${field}[${index}]`;
    return [
      ...validatePortName(port.name ?? '', names, `${at}.name`),
      ...(port.containerPort
        ? validatePortNumber(port.containerPort, `${at}.containerPort`)
        : [required(`${at}.containerPort`)]),
      ...validatePortNumber(port.hostPort, `${at}.hostPort`),
      ...requiredOneOf(`${at}.protocol`, port.protocol, PROTOCOLS),
    ];
  });
};

const validateAmounts = (amounts: Amounts, field: string): readonly FieldError[] =>
  Object.entries(amounts).flatMap(([name, amount]) => [
    ...validateContainerResource(name, `${field}[${name}]`),
    ...validateAmount(name, amount, `${field}[${name}]`),
  ]);

const validateLimits = (requests: Amounts, limits: Amounts, field: string): readonly FieldError[] =>
  Object.entries(requests).flatMap(([name, amount]) => {
    const [limit, isSoft] = [ownMember(limits, name), isOvercommitAllowed(name)];
    if (limit === undefined)
      return isSoft
        ? []
        : [required(`${field}.limits`, 'Limit must be set for non overcommitable resources')];
    const excess = compareQuantities(amount, limit);
    if (isSoft ? excess <= 0 : excess === 0) return [];
    const rule = isSoft ? 'less than or equal' : 'equal';
    return [invalidValue(`${field}.requests`, amount, `must be ${rule} to ${name} limit of ${limit}`)];
  });

/** A container that requests huge pages must also request cpu or memory. */
const validateHugePages = (names: readonly string[], field: string): readonly FieldError[] =>
  names.some((name) => name.startsWith('hugepages-')) &&
  !names.some((name) => ['cpu', 'memory'].includes(name))
    ? [forbiddenField(field, 'HugePages require cpu or memory')]
    : [];

const validateResources = (
  { limits = {}, requests = {} }: NonNullable<Container['resources']>,
  field: string,
): readonly FieldError[] => [
  ...validateAmounts(limits, `${field}.limits`),
  ...validateAmounts(requests, `${field}.requests`),
  ...validateLimits(requests, limits, field),
  ...validateHugePages([...Object.keys(limits), ...Object.keys(requests)], field),
];

const validateContainerName = (name: string, field: string): readonly FieldError[] =>
  name === '' ? [required(field)] : dnsLabelFaults(name).map((fault) => invalidValue(field, name, fault));

/** What holds for containers of all kinds. */
export const validateContainer = (
  container: Container,
  context: PodContext,
  at: string,
): readonly FieldError[] => [
  ...validateContainerName(container.name ?? '', `${at}.name`),
  ...validateImage(container.image ?? '', `${at}.image`),
  ...requiredOneOf(`${at}.terminationMessagePolicy`, container.terminationMessagePolicy, MESSAGE_POLICIES),
  ...validatePorts(container.ports ?? [], `${at}.ports`),
  ...validateEnv(container.env ?? [], `${at}.env`),
  ...validateEnvFrom(container.envFrom ?? [], `${at}.envFrom`),
  ...validateMounts(
    container.volumeMounts ?? [],
    context.volumes,
    container.securityContext?.privileged === true,
    `${at}.volumeMounts`,
  ),
  ...requiredOneOf(`${at}.imagePullPolicy`, container.imagePullPolicy, PULL_POLICIES),
  ...validateResources(container.resources ?? {}, `${at}.resources`),
  ...validateSecurity(container.securityContext ?? {}, context.hostUsers, `${at}.securityContext`),
];

/** A name that is already in `names` is a duplicate. Adds the name. */
const validateUnique = (name: string, names: Set<string>, field: string): readonly FieldError[] => {
  const twice = name !== '' && names.has(name);
  names.add(name);
  return twice ? [duplicate(field, name)] : [];
};

const NOT_FOR_PLAIN_INIT = 'may not be set for init containers without restartPolicy=Always';
const HOOKS = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;

/** An init container without `restartPolicy: Always` may have neither hooks nor probes. */
const validatePlainInit = (container: Container, at: string): readonly FieldError[] =>
  HOOKS.filter((hook) => container[hook] !== undefined).map((hook) =>
    forbiddenField(`${at}.${hook}`, NOT_FOR_PLAIN_INIT),
  );

/** Rules for containers. `names`: the container names used so far; new ones are added. */
export const validateContainers = (
  containers: readonly Container[],
  context: PodContext,
  field: string,
  names: Set<string>,
): readonly FieldError[] => [
  ...containers.flatMap((container, index) => {
    const at = `${field}[${index}]`;
    return [
      ...validateContainer(container, context, at),
      ...validateUnique(container.name ?? '', names, `${at}.name`),
      ...validateProbes(container, at),
    ];
  }),
  ...hostPortConflicts(containers, field),
];

/** Rules for init containers. Two of them may use the same host port, because they run one after the other. */
export const validateInitContainers = (
  containers: readonly Container[],
  context: PodContext,
  field: string,
  names: Set<string>,
): readonly FieldError[] =>
  containers.flatMap((container, index) => {
    const at = `${field}[${index}]`;
    return [
      ...validateContainer(container, context, at),
      ...validateUnique(container.name ?? '', names, `${at}.name`),
      // Kubernetes names index 0 in this message for every container.
      ...hostPortConflicts([container], field),
      ...(container.restartPolicy === 'Always'
        ? validateProbes(container, at)
        : validatePlainInit(container, at)),
    ];
  });
