/** Rules of Ingresses and IngressClasses. Source: networking validation v1.34 `ValidateIngressCreate`, `ValidateIngressClass`. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../../kube/errors/field-error.ts';
import { parseAddress } from '../../kube/values/ip.ts';
import {
  described,
  dnsSubdomainFaults,
  labelName1035Faults,
  matches,
  SUBDOMAIN,
} from '../../kube/values/names.ts';
import type { WithSpec } from '../contract/stored-object.ts';
import { portNameFaults, portNumberFaults } from '../fields/ports.ts';

interface Backend {
  readonly service?: {
    readonly name?: string;
    readonly port?: { readonly name?: string; readonly number?: number };
  };
  readonly resource?: { readonly kind?: string; readonly name?: string };
}

interface Path {
  readonly path?: string;
  readonly pathType?: string;
  readonly backend?: Backend;
}

interface Rule {
  readonly host?: string;
  readonly http?: { readonly paths?: readonly Path[] };
}

interface IngressSpec {
  readonly ingressClassName?: string;
  readonly defaultBackend?: Backend;
  readonly rules?: readonly Rule[];
  readonly tls?: readonly { readonly hosts?: readonly string[]; readonly secretName?: string }[];
  readonly [field: string]: unknown;
}

export type Ingress = WithSpec<IngressSpec>;

interface IngressClassSpec {
  readonly controller?: string;
  readonly parameters?: {
    readonly apiGroup?: string;
    readonly kind?: string;
    readonly name?: string;
    readonly scope?: string;
    readonly namespace?: string;
  };
  readonly [field: string]: unknown;
}

export type IngressClass = WithSpec<IngressClassSpec>;

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'] as const;
const SEQUENCES = ['//', '/./', '/../', '%2f', '%2F'] as const;
const SUFFIXES = ['/..', '/.'] as const;

const faulty = (field: string, value: string | number, faults: readonly string[]): readonly FieldError[] =>
  faults.map((fault) => invalidValue(field, value, fault));

const portFaults = (
  { name = '', number = 0 }: { readonly name?: string; readonly number?: number },
  at: string,
) => {
  if (name !== '' && number !== 0)
    return [invalidValue(at, { name, number }, 'cannot set both port name & port number')];
  if (name !== '') return faulty(`${at}.name`, name, portNameFaults(name));
  if (number !== 0) return faulty(`${at}.number`, number, portNumberFaults(number));
  return [required(at, 'port name or number is required')];
};

const serviceFaults = (
  { name = '', port = {} }: NonNullable<Backend['service']>,
  at: string,
): readonly FieldError[] => [
  ...(name === '' ? [required(`${at}.name`)] : faulty(`${at}.name`, name, labelName1035Faults(name))),
  ...portFaults(port, `${at}.port`),
];

const backendFaults = ({ service, resource }: Backend, at: string): readonly FieldError[] => {
  if (service && resource) return [invalidValue(at, '', 'cannot set both resource and service backends')];
  if (service) return serviceFaults(service, `${at}.service`);
  if (!resource) return [invalidValue(at, '', 'resource or service backend is required')];
  return [
    ...(resource.kind ? [] : [required(`${at}.resource.kind`, 'kind is required')]),
    ...(resource.name ? [] : [required(`${at}.resource.name`, 'name is required')]),
  ];
};

const strictPathFaults = (path: string, at: string): readonly FieldError[] => {
  if (!path.startsWith('/')) return [invalidValue(at, path, 'must be an absolute path')];
  return [
    ...SEQUENCES.filter((part) => path.includes(part)).map((part) =>
      invalidValue(at, path, `must not contain '${part}'`),
    ),
    ...SUFFIXES.filter((end) => path.endsWith(end)).map((end) =>
      invalidValue(at, path, `cannot end with '${end}'`),
    ),
  ];
};

const pathTextFaults = (path: string, pathType: string | undefined, at: string): readonly FieldError[] => {
  switch (pathType) {
    case undefined:
      return [required(`${at}.pathType`, 'pathType must be specified')];
    case 'Exact':
    case 'Prefix':
      return strictPathFaults(path, `${at}.path`);
    case 'ImplementationSpecific':
      return path === '' || path.startsWith('/')
        ? []
        : [invalidValue(`${at}.path`, path, 'must be an absolute path')];
    default:
      return [notSupported(`${at}.pathType`, pathType, PATH_TYPES)];
  }
};

const pathFaults = ({ path = '', pathType, backend = {} }: Path, at: string): readonly FieldError[] => [
  ...pathTextFaults(path, pathType, at),
  ...backendFaults(backend, `${at}.backend`),
];

/** Source: apimachinery v1.34 `IsWildcardDNS1123Subdomain`. */
const WILDCARD = `\\*\\.${SUBDOMAIN}`;
const NO_WILDCARD = described(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  WILDCARD,
  '*.example.com',
);

const nameFaults = (host: string, at: string): readonly FieldError[] => {
  if (!host.includes('*')) return faulty(at, host, dnsSubdomainFaults(host));
  const isValid = host.length <= 253 && matches(WILDCARD, host);
  return faulty(at, host, isValid ? [] : [NO_WILDCARD]);
};

const hostFaults = (host: string, at: string): readonly FieldError[] => {
  if (parseAddress(host)) return [invalidValue(at, host, 'must be a DNS name, not an IP address')];
  return nameFaults(host, at);
};

const ruleFaults = ({ host = '', http }: Rule, at: string): readonly FieldError[] => [
  ...(host === '' ? [] : hostFaults(host, `${at}.host`)),
  ...(http && (http.paths ?? []).length === 0 ? [required(`${at}.http.paths`)] : []),
  ...(http?.paths ?? []).flatMap((path, index) => pathFaults(path, `${at}.http.paths[${index}]`)),
];

const tlsFaults = (tls: NonNullable<IngressSpec['tls']>): readonly FieldError[] =>
  tls.flatMap(({ hosts = [] }, index) =>
    hosts.flatMap((host, place) => nameFaults(host, `spec.tls[${index}].hosts[${place}]`)),
  );

/** Rules of an Ingress. */
export const validateIngress = ({ spec = {} }: Ingress): readonly FieldError[] => {
  const { ingressClassName, defaultBackend, rules = [], tls = [] } = spec;
  return [
    ...(rules.length === 0 && !defaultBackend
      ? [invalidValue('spec', [], 'either `defaultBackend` or `rules` must be specified')]
      : []),
    ...(defaultBackend ? backendFaults(defaultBackend, 'spec.defaultBackend') : []),
    ...tlsFaults(tls),
    ...rules.flatMap((rule, index) => ruleFaults(rule, `spec.rules[${index}]`)),
    ...(ingressClassName === undefined
      ? []
      : faulty('spec.ingressClassName', ingressClassName, dnsSubdomainFaults(ingressClassName))),
  ];
};

const scopeFaults = ({
  scope,
  namespace,
}: NonNullable<IngressClassSpec['parameters']>): readonly FieldError[] => {
  const at = 'spec.parameters';
  if (scope === 'Cluster')
    return namespace === undefined
      ? []
      : [forbiddenField(`${at}.namespace`, "parameters.scope is set to 'Cluster'")];
  if (scope === 'Namespace')
    return namespace ? [] : [required(`${at}.namespace`, "parameters.scope is set to 'Namespace'")];
  return scope === undefined
    ? [required(`${at}.scope`)]
    : [notSupported(`${at}.scope`, scope, ['Cluster', 'Namespace'])];
};

/** Rules of an IngressClass. */
export const validateIngressClass = ({ spec = {} }: IngressClass): readonly FieldError[] => {
  const { controller = '', parameters } = spec;
  return [
    ...(controller.length > 250
      ? [invalidValue('spec.controller', controller, 'must be no more than 250 bytes')]
      : []),
    ...(controller === '' ? [required('spec.controller')] : []),
    ...(parameters && !parameters.kind ? [required('spec.parameters.kind', 'kind is required')] : []),
    ...(parameters && !parameters.name ? [required('spec.parameters.name', 'name is required')] : []),
    ...(parameters ? scopeFaults(parameters) : []),
  ];
};
