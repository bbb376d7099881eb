/**
 * Rules and defaults of Services. Source: core validation v1.34 `ValidateService`, core defaults `SetDefaults_Service`.
 */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { duplicate, invalidValue, notSupported, required } from '../../kube/errors/field-error.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import { dnsLabelFaults, dnsSubdomainFaults, labelName1035Faults } from '../../kube/values/names.ts';
import { changedClusterIps, validateClusterIps } from './cluster-ip-rules.ts';

interface ServicePort {
  readonly name?: string;
  readonly port?: number;
  readonly protocol?: string;
  readonly targetPort?: number | string;
  readonly nodePort?: number;
}

export interface ServiceSpec {
  readonly type?: string;
  readonly clusterIP?: string;
  readonly clusterIPs?: readonly string[];
  readonly ports?: readonly ServicePort[];
  readonly sessionAffinity?: string;
  readonly externalName?: string;
  readonly [field: string]: unknown;
}

export interface Service extends ApiObject {
  readonly spec?: ServiceSpec;
  readonly status?: object;
}

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'] as const;
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'] as const;
const AFFINITIES = ['ClientIP', 'None'] as const;
const NONE = 'None';

const defaultPort = (port: ServicePort): ServicePort => ({
  ...port,
  protocol: port.protocol ?? 'TCP',
  targetPort: port.targetPort || (port.port ?? 0),
});

// `clusterIP` and the first of `clusterIPs` are the same field. An empty text stands for no address.
const addresses = ({ clusterIP = '', clusterIPs = [] }: ServiceSpec): Partial<ServiceSpec> => {
  const given = clusterIPs.filter((text) => text !== '');
  const first = clusterIP || given[0];
  return first === undefined ? {} : { clusterIP: first, clusterIPs: given.length > 0 ? given : [first] };
};

const internal = (spec: ServiceSpec): Partial<ServiceSpec> => ({
  internalTrafficPolicy: spec['internalTrafficPolicy'] ?? 'Cluster',
  ipFamilies: spec['ipFamilies'] ?? ['IPv4'],
  ipFamilyPolicy: spec['ipFamilyPolicy'] ?? 'SingleStack',
});

const external = (spec: ServiceSpec, type: string): Partial<ServiceSpec> => ({
  ...(['NodePort', 'LoadBalancer'].includes(type)
    ? { externalTrafficPolicy: spec['externalTrafficPolicy'] ?? 'Cluster' }
    : {}),
  ...(type === 'LoadBalancer'
    ? { allocateLoadBalancerNodePorts: spec['allocateLoadBalancerNodePorts'] ?? true }
    : {}),
});

const defaultSpec = (spec: ServiceSpec): ServiceSpec => {
  const type = spec.type ?? 'ClusterIP';
  const { clusterIP: _ip, clusterIPs: _ips, ...rest } = spec;
  return {
    ...rest,
    ...addresses(spec),
    ...(spec.ports ? { ports: spec.ports.map(defaultPort) } : {}),
    sessionAffinity: spec.sessionAffinity ?? NONE,
    type,
    ...(type === 'ExternalName' ? {} : internal(spec)),
    ...external(spec, type),
  };
};

export const defaultService = (service: Service): Service => ({
  ...service,
  spec: defaultSpec(service.spec ?? {}),
});

/** The rule for names of Services. */
export const serviceName = labelName1035Faults;

const validatePortNumber = (port: number, field: string): readonly FieldError[] =>
  port >= 1 && port <= 65_535 ? [] : [invalidValue(field, port, 'must be between 1 and 65535, inclusive')];

const validatePortName = (name: string, field: string, isNeeded: boolean): readonly FieldError[] => {
  if (name === '') return isNeeded ? [required(field)] : [];
  return dnsLabelFaults(name).map((fault) => invalidValue(field, name, fault));
};

const oneOf = (field: string, value: string, supported: readonly string[]): readonly FieldError[] =>
  supported.includes(value) ? [] : [notSupported(field, value, supported)];

const validatePort = ({ name = '', port = 0, protocol = '' }: ServicePort, at: string, many: boolean) => [
  ...validatePortName(name, `${at}.name`, many),
  ...validatePortNumber(port, `${at}.port`),
  ...(protocol === '' ? [required(`${at}.protocol`)] : oneOf(`${at}.protocol`, protocol, PROTOCOLS)),
];

/** Whether `seen` has the value. Adds it. */
const isSeen = (seen: Set<string>, value: string): boolean => {
  const isKnown = seen.has(value);
  seen.add(value);
  return isKnown;
};

const sameName = (ports: readonly ServicePort[]): readonly FieldError[] => {
  const seen = new Set<string>();
  return ports.flatMap(({ name }, index) =>
    name && isSeen(seen, name) ? [duplicate(`spec.ports[${index}].name`, name)] : [],
  );
};

const sameNumber = (ports: readonly ServicePort[]): readonly FieldError[] => {
  const seen = new Set<string>();
  return ports.flatMap(({ port, protocol }, index) =>
    isSeen(seen, `${port}/${protocol}`) ? [duplicate(`spec.ports[${index}]`, { protocol, port })] : [],
  );
};

const validateExternalName = (name: string): readonly FieldError[] =>
  name === ''
    ? [required('spec.externalName')]
    : dnsSubdomainFaults(name.replace(/\.$/, '')).map((fault) =>
        invalidValue('spec.externalName', name, fault),
      );

const needsPorts = ({ type, clusterIP }: ServiceSpec): boolean =>
  clusterIP !== NONE && type !== 'ExternalName';

export const validateService = ({ spec = {} }: Service): readonly FieldError[] => {
  const { ports = [], type = '', sessionAffinity = '', externalName = '' } = spec;
  return [
    ...(ports.length === 0 && needsPorts(spec) ? [required('spec.ports')] : []),
    ...ports.flatMap((port, index) => validatePort(port, `spec.ports[${index}]`, ports.length > 1)),
    ...sameName(ports),
    ...sameNumber(ports),
    ...validateClusterIps(spec),
    ...oneOf('spec.sessionAffinity', sessionAffinity, AFFINITIES),
    ...oneOf('spec.type', type, TYPES),
    ...(type === 'ExternalName' ? validateExternalName(externalName) : []),
  ];
};

/** An address is immutable once set, unless the Service becomes an ExternalName, or was one. */
export const validateServiceUpdate = (after: Service, before: Service): readonly FieldError[] =>
  [after, before].some(({ spec }) => spec?.type === 'ExternalName')
    ? []
    : changedClusterIps(after.spec ?? {}, before.spec ?? {});
