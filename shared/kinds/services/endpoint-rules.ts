/** Rules that Endpoints and EndpointSlices share. Source: core and discovery validation v1.34. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidValue, notSupported, required } from '../../kube/errors/field-error.ts';
import { type Address, parseAddress, WIDTHS } from '../../kube/values/ip.ts';
import { qualifiedNameFaults } from '../../kube/values/names.ts';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'] as const;

export interface EndpointPort {
  readonly name?: string;
  readonly port?: number;
  readonly protocol?: string;
  readonly appProtocol?: string;
}

export const faulty = (
  field: string,
  value: string | number,
  faults: readonly string[],
): readonly FieldError[] => faults.map((fault) => invalidValue(field, value, fault));

export const validateProtocols = (
  { protocol = '', appProtocol }: EndpointPort,
  at: string,
): readonly FieldError[] => [
  ...(protocol === '' ? [required(`${at}.protocol`)] : []),
  ...(protocol === '' || (PROTOCOLS as readonly string[]).includes(protocol)
    ? []
    : [notSupported(`${at}.protocol`, protocol, PROTOCOLS)]),
  ...(appProtocol === undefined
    ? []
    : faulty(`${at}.appProtocol`, appProtocol, qualifiedNameFaults(appProtocol))),
];

const startsWith = ({ number, family }: Address, prefix: string, bits: number): boolean => {
  const net = parseAddress(prefix);
  const shift = BigInt(WIDTHS[family] - bits);
  return net?.family === family && number >> shift === net.number >> shift;
};

const within = (address: Address, four: readonly [string, number], six: readonly [string, number]): boolean =>
  startsWith(address, ...(address.family === 4 ? four : six));

/**
 * Refuses addresses that are unreachable from other nodes, such as loopback. Source: core validation v1.34
 * `ValidateEndpointIP`.
 */
export const reachFaults = (text: string, address: Address): readonly string[] => [
  ...(address.number === 0n ? [`may not be unspecified (${text})`] : []),
  ...(within(address, ['127.0.0.0', 8], ['::1', 128])
    ? ['may not be in the loopback range (127.0.0.0/8, ::1/128)']
    : []),
  ...(within(address, ['169.254.0.0', 16], ['fe80::', 10])
    ? ['may not be in the link-local range (169.254.0.0/16, fe80::/10)']
    : []),
  ...(within(address, ['224.0.0.0', 24], ['ff02::', 16])
    ? ['may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)']
    : []),
];

export const NO_ADDRESS = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
