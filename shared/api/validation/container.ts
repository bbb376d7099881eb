/** Rules for the containers of a Pod, defaulted. Source: core validation v1.34 `validateContainers`. */
import type { FieldError } from '../field-error.ts';
import { duplicate, invalidValue, notFoundValue, notSupported, required } from '../field-error.ts';
import { compareQuantities } from '../quantity.ts';
import { dnsLabelFaults } from './names.ts';
import { portNameFaults, portNumberFaults } from './ports.ts';

type Amounts = Readonly<Record<string, string>>;

export interface ContainerPort {
  readonly name?: string;
  readonly containerPort?: number;
  readonly hostPort?: number;
  readonly protocol?: string;
}

interface EnvVar {
  readonly name?: string;
  readonly value?: string;
  readonly valueFrom?: object;
}

interface VolumeMount {
  readonly name?: string;
  readonly mountPath?: string;
}

export interface Container {
  readonly name?: string;
  readonly image?: string;
  readonly imagePullPolicy?: string;
  readonly terminationMessagePolicy?: string;
  readonly ports?: readonly ContainerPort[];
  readonly env?: readonly EnvVar[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly resources?: { readonly limits?: Amounts; readonly requests?: Amounts };
  readonly [field: string]: unknown;
}

/** What the containers may refer to. */
export interface PodContext {
  /** Names of the pod's volumes. */
  readonly volumes: readonly string[];
  readonly hostNetwork: boolean;
}

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'] as const;
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'] as const;
const MESSAGE_POLICIES = ['FallbackToLogsOnError', 'File'] as const;

/** `Required` when empty, `NotSupported` when unknown. */
export const oneOf = (
  field: string,
  value: string | undefined,
  supported: readonly string[],
): readonly FieldError[] => {
  if (!value) return [required(field)];
  return supported.includes(value) ? [] : [notSupported(field, value, supported)];
};

/** Names within one list: DNS labels, each once. */
export const nameFaults = (name: string, seen: Set<string>, field: string): readonly FieldError[] => {
  if (name === '') return [required(field)];
  const twice = seen.has(name);
  seen.add(name);
  return [
    ...dnsLabelFaults(name).map((fault) => invalidValue(field, name, fault)),
    ...(twice ? [duplicate(field, name)] : []),
  ];
};

const validateImage = (image: string, field: string): readonly FieldError[] => {
  if (image === '') return [required(field)];
  return image === image.trim()
    ? []
    : [invalidValue(field, image, 'must not have leading or trailing whitespace')];
};

const portNumber = (port: number | undefined, field: string): readonly FieldError[] =>
  port ? portNumberFaults(port).map((fault) => invalidValue(field, port, fault)) : [];

const hostPortFaults = (
  { containerPort, hostPort }: ContainerPort,
  hostNetwork: boolean,
  field: string,
): readonly FieldError[] =>
  hostNetwork && hostPort !== containerPort
    ? [invalidValue(field, hostPort ?? 0, 'must match `containerPort` when `hostNetwork` is true')]
    : portNumber(hostPort, field);

const portNameErrors = (name: string, names: Set<string>, field: string): readonly FieldError[] => {
  if (name === '') return [];
  const faults = portNameFaults(name).map((fault) => invalidValue(field, name, fault));
  if (faults.length > 0) return faults;
  const twice = names.has(name);
  names.add(name);
  return twice ? [duplicate(field, name)] : [];
};

const validatePorts = (
  ports: readonly ContainerPort[],
  hostNetwork: boolean,
  field: string,
): readonly FieldError[] => {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const at = `${field}[${index}]`;
    return [
      ...portNameErrors(port.name ?? '', names, `${at}.name`),
      ...(port.containerPort
        ? portNumber(port.containerPort, `${at}.containerPort`)
        : [required(`${at}.containerPort`)]),
      ...hostPortFaults(port, hostNetwork, `${at}.hostPort`),
      ...oneOf(`${at}.protocol`, port.protocol, PROTOCOLS),
    ];
  });
};

const validateEnv = (env: readonly EnvVar[], field: string): readonly FieldError[] =>
  env.flatMap(({ name, value, valueFrom }, index) => [
    ...(name ? [] : [required(`${field}[${index}].name`)]),
    ...(value && valueFrom
      ? [invalidValue(`${field}[${index}].valueFrom`, '', 'may not be specified when `value` is not empty')]
      : []),
  ]);

const validateMounts = (
  mounts: readonly VolumeMount[],
  volumes: readonly string[],
  field: string,
): readonly FieldError[] => {
  const paths = new Set<string>();
  return mounts.flatMap(({ name = '', mountPath = '' }, index) => {
    const at = `${field}[${index}]`;
    const twice = mountPath !== '' && paths.has(mountPath);
    paths.add(mountPath);
    return [
      ...(name === '' ? [required(`${at}.name`)] : []),
      ...(volumes.includes(name) ? [] : [notFoundValue(`${at}.name`, name)]),
      ...(mountPath === '' ? [required(`${at}.mountPath`)] : []),
      ...(twice ? [invalidValue(`${at}.mountPath`, mountPath, 'must be unique')] : []),
    ];
  });
};

const negativeAmounts = (amounts: Amounts, field: string): readonly FieldError[] =>
  Object.entries(amounts)
    .filter(([, amount]) => amount.startsWith('-'))
    .map(([name, amount]) => invalidValue(`${field}[${name}]`, amount, 'must be greater than or equal to 0'));

const tooMuch = (requests: Amounts, limits: Amounts, field: string): readonly FieldError[] =>
  Object.entries(requests).flatMap(([name, amount]) => {
    const limit = limits[name];
    return limit !== undefined && compareQuantities(amount, limit) > 0
      ? [invalidValue(field, amount, `must be less than or equal to ${name} limit of ${limit}`)]
      : [];
  });

const validateResources = (
  { limits = {}, requests = {} }: NonNullable<Container['resources']>,
  field: string,
): readonly FieldError[] => [
  ...negativeAmounts(limits, `${field}.limits`),
  ...negativeAmounts(requests, `${field}.requests`),
  ...tooMuch(requests, limits, `${field}.requests`),
];

const validateContainer = (container: Container, context: PodContext, at: string): readonly FieldError[] => [
  ...validateImage(container.image ?? '', `${at}.image`),
  ...oneOf(`${at}.terminationMessagePolicy`, container.terminationMessagePolicy, MESSAGE_POLICIES),
  ...validatePorts(container.ports ?? [], context.hostNetwork, `${at}.ports`),
  ...validateEnv(container.env ?? [], `${at}.env`),
  ...validateMounts(container.volumeMounts ?? [], context.volumes, `${at}.volumeMounts`),
  ...oneOf(`${at}.imagePullPolicy`, container.imagePullPolicy, PULL_POLICIES),
  ...validateResources(container.resources ?? {}, `${at}.resources`),
];

/** Rules for one list of containers; `names` are those taken by the lists before. */
export const validateContainers = (
  containers: readonly Container[],
  context: PodContext,
  field: string,
  names = new Set<string>(),
): readonly FieldError[] =>
  containers.flatMap((container, index) => {
    const at = `${field}[${index}]`;
    return [
      ...nameFaults(container.name ?? '', names, `${at}.name`),
      ...validateContainer(container, context, at),
    ];
  });
