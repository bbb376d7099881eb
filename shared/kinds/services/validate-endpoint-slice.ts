/** Rules and defaults of EndpointSlices. Source: discovery validation v1.34 `ValidateEndpointSlice`. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { duplicate, invalidValue, notSupported, required, tooMany } from '../../kube/errors/field-error.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import { parseAddress } from '../../kube/values/ip.ts';
import { dnsLabelFaults, dnsSubdomainFaults, labelValueFaults } from '../../kube/values/names.ts';
import type { EndpointPort } from './endpoint-rules.ts';
import { faulty, NO_ADDRESS, reachFaults, validateProtocols } from './endpoint-rules.ts';

interface Hint {
  readonly name?: string;
}

interface SliceEndpoint {
  readonly addresses?: readonly string[];
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly hints?: { readonly forZones?: readonly Hint[]; readonly forNodes?: readonly Hint[] };
}

export interface EndpointSlice extends ApiObject {
  readonly addressType?: string;
  readonly endpoints?: readonly SliceEndpoint[] | null;
  readonly ports?: readonly EndpointPort[] | null;
}

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'] as const;
/** The greatest lengths of the lists. */
const MOST = { addresses: 100, ports: 20_000, endpoints: 1_000, hints: 8 } as const;

/** Checks each element. A list that is too long gets only that error. */
const eachOf = <T>(
  list: readonly T[],
  field: string,
  most: number,
  faults: (one: T, at: string) => readonly FieldError[],
): readonly FieldError[] =>
  list.length > most
    ? [tooMany(field, list.length, most)]
    : list.flatMap((one, index) => faults(one, `${field}[${index}]`));

const sliceAddressFaults = (address: string, type: string, at: string): readonly FieldError[] => {
  if (type === 'FQDN') return faulty(at, address, dnsSubdomainFaults(address.replace(/\.$/, '')));
  const parsed = parseAddress(address);
  if (!parsed) return faulty(at, address, [NO_ADDRESS]);
  const list = at.replace(/\[\d+\]$/, '');
  return [
    ...(type === `IPv${parsed.family}` ? [] : faulty(list, address, [`must be an ${type} address`])),
    ...faulty(at, address, reachFaults(address, parsed)),
  ];
};

const validateHints = (
  hints: readonly Hint[],
  field: string,
  faultsOf: (name: string) => readonly string[],
): readonly FieldError[] => {
  const seen = new Set<string>();
  return eachOf(hints, field, MOST.hints, ({ name = '' }, at) => {
    const twice = seen.has(name);
    seen.add(name);
    return [...(twice ? [duplicate(`${at}.name`, name)] : []), ...faulty(`${at}.name`, name, faultsOf(name))];
  });
};

const validateSliceEndpoint = (endpoint: SliceEndpoint, type: string, at: string): readonly FieldError[] => {
  const { addresses = [], hostname, nodeName, hints } = endpoint;
  const field = `${at}.addresses`;
  return [
    ...(addresses.length === 0 ? [required(field, 'must contain at least 1 address')] : []),
    ...eachOf(addresses, field, MOST.addresses, (address, here) => sliceAddressFaults(address, type, here)),
    ...(nodeName === undefined ? [] : faulty(`${at}.nodeName`, nodeName, dnsSubdomainFaults(nodeName))),
    ...(hostname === undefined ? [] : faulty(`${at}.hostname`, hostname, dnsLabelFaults(hostname))),
    ...validateHints(hints?.forZones ?? [], `${at}.hints.forZones`, labelValueFaults),
    ...validateHints(hints?.forNodes ?? [], `${at}.hints.forNodes`, dnsSubdomainFaults),
  ];
};

const validateSlicePorts = (ports: readonly EndpointPort[]): readonly FieldError[] => {
  const seen = new Set<string>();
  return eachOf(ports, 'ports', MOST.ports, (port, at) => {
    const { name = '' } = port;
    const twice = seen.has(name);
    seen.add(name);
    return [
      ...(name === '' ? [] : faulty(`${at}.name`, name, dnsLabelFaults(name))),
      ...(twice ? [duplicate(`${at}.name`, name)] : []),
      ...validateProtocols(port, at),
    ];
  });
};

const validateType = (type: string): readonly FieldError[] => {
  if (type === '') return [required('addressType')];
  return (ADDRESS_TYPES as readonly string[]).includes(type)
    ? []
    : [notSupported('addressType', type, ADDRESS_TYPES)];
};

/** Fills in the defaults. An absent list is shown as null. */
export const defaultEndpointSlice = (slice: EndpointSlice): EndpointSlice => ({
  ...slice,
  endpoints: slice.endpoints ?? null,
  ports:
    slice.ports?.map((port) => ({ ...port, name: port.name ?? '', protocol: port.protocol ?? 'TCP' })) ??
    null,
});

export const validateEndpointSlice = (slice: EndpointSlice): readonly FieldError[] => {
  const { addressType = '', endpoints, ports } = slice;
  return [
    ...validateType(addressType),
    ...validateSlicePorts(ports ?? []),
    ...eachOf(endpoints ?? [], 'endpoints', MOST.endpoints, (endpoint, at) =>
      validateSliceEndpoint(endpoint, addressType, at),
    ),
  ];
};

export const validateEndpointSliceUpdate = (
  after: EndpointSlice,
  before: EndpointSlice,
): readonly FieldError[] =>
  after.addressType === before.addressType
    ? []
    : [invalidValue('addressType', after.addressType ?? '', 'field is immutable')];
