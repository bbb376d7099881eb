/** Rules and defaults of Endpoints. Source: core validation v1.34 `ValidateEndpoints`. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { required } from '../../kube/errors/field-error.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import { parseAddress } from '../../kube/values/ip.ts';
import { dnsLabelFaults, dnsSubdomainFaults } from '../../kube/values/names.ts';
import { portNumberFaults } from '../fields/ports.ts';
import type { EndpointPort } from './endpoint-rules.ts';
import { faulty, NO_ADDRESS, reachFaults, validateProtocols } from './endpoint-rules.ts';

const validateIp = (text: string, field: string): readonly FieldError[] => {
  const address = parseAddress(text);
  // In Kubernetes two rules check this, so there are two messages.
  if (!address) return faulty(field, text, [NO_ADDRESS, 'must be a valid IP address']);
  return faulty(field, text, reachFaults(text, address));
};

interface EndpointAddress {
  readonly ip?: string;
  readonly hostname?: string;
  readonly nodeName?: string;
}

interface Subset {
  readonly addresses?: readonly EndpointAddress[];
  readonly notReadyAddresses?: readonly EndpointAddress[];
  readonly ports?: readonly EndpointPort[];
}

export interface Endpoints extends ApiObject {
  readonly subsets?: readonly Subset[];
}

const validateAddress = (
  { ip = '', hostname = '', nodeName }: EndpointAddress,
  at: string,
): readonly FieldError[] => [
  ...(hostname === '' ? [] : faulty(`${at}.hostname`, hostname, dnsLabelFaults(hostname))),
  ...(nodeName === undefined ? [] : faulty(`${at}.nodeName`, nodeName, dnsSubdomainFaults(nodeName))),
  ...validateIp(ip, `${at}.ip`),
];

const validateSubsetPort = (port: EndpointPort, at: string, many: boolean): readonly FieldError[] => {
  const { name = '' } = port;
  return [
    ...(name === '' && many ? [required(`${at}.name`)] : []),
    ...(name === '' ? [] : faulty(`${at}.name`, name, dnsLabelFaults(name))),
    ...faulty(`${at}.port`, port.port ?? 0, portNumberFaults(port.port ?? 0)),
    ...validateProtocols(port, at),
  ];
};

const validateSubset = (subset: Subset, at: string): readonly FieldError[] => {
  const { addresses = [], notReadyAddresses = [], ports = [] } = subset;
  return [
    ...(addresses.length + notReadyAddresses.length === 0
      ? [required(at, 'must specify `addresses` or `notReadyAddresses`')]
      : []),
    ...addresses.flatMap((one, index) => validateAddress(one, `${at}.addresses[${index}]`)),
    ...notReadyAddresses.flatMap((one, index) => validateAddress(one, `${at}.notReadyAddresses[${index}]`)),
    ...ports.flatMap((port, index) => validateSubsetPort(port, `${at}.ports[${index}]`, ports.length > 1)),
  ];
};

export const defaultEndpoints = (endpoints: Endpoints): Endpoints => {
  if (!endpoints.subsets) return endpoints;
  const subsets = endpoints.subsets.map((subset) =>
    subset.ports
      ? { ...subset, ports: subset.ports.map((port) => ({ ...port, protocol: port.protocol ?? 'TCP' })) }
      : subset,
  );
  return { ...endpoints, subsets };
};

export const validateEndpoints = ({ subsets = [] }: Endpoints): readonly FieldError[] =>
  subsets.flatMap((subset, index) => validateSubset(subset, `subsets[${index}]`));
