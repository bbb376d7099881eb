/** The `--node-ip` of a node: what was written, and whether it is fit for use. Source: kubernetes v1.34 pkg/util/node, pkg/kubelet. */
import { type Cidr, cidrAround, overlaps, parseCidr } from '../../../shared/api/cidr.ts';
import { type Address, addressText, parseAddress, WIDTHS } from '../../../shared/api/ip.ts';

/** An address in canonical form; an IPv4-mapped one is IPv4. */
const canonicalIp = (text: string): string | undefined => {
  const address = parseAddress(text);
  return address && addressText(address);
};

const ofCanonical = (text: string): Address | undefined => parseAddress(canonicalIp(text) ?? '');

/** The family of an address that can be parsed. */
export const familyOf = (ip: string): 4 | 6 => ofCanonical(ip)?.family ?? 4;

/** Whether the address stands for any address of its family: `0.0.0.0`, `::`. */
export const isUnspecified = (ip: string): boolean => ofCanonical(ip)?.number === 0n;

export type NodeIps =
  | {
      /** At most two, of different families, in canonical form. */
      readonly ips: readonly string[];
      /** Entries that are no addresses. They are left out and only told. */
      readonly invalid: readonly string[];
    }
  | { readonly error: string };

const SINGLE_OR_PAIR = 'must contain either a single IP or a dual-stack pair of IPs';
const NO_WILDCARD_IN_PAIR = "dual-stack node IP cannot include '0.0.0.0' or '::'";

const pairFault = (ips: readonly string[]): string | undefined => {
  if (ips.length < 2) return undefined;
  const families = new Set(ips.map(familyOf));
  if (ips.length > 2 || families.size < 2) return SINGLE_OR_PAIR;
  return ips.some(isUnspecified) ? NO_WILDCARD_IN_PAIR : undefined;
};

/** Parses a `--node-ip`: addresses with commas between them; leading zeros are tolerated in IPv4. */
export const parseNodeIps = (argument: string): NodeIps => {
  const entries = argument === '' ? [] : argument.split(',').map((entry) => entry.trim());
  const ips = entries.flatMap((entry) => canonicalIp(entry) ?? []);
  const error = pairFault(ips);
  if (error !== undefined) return { error };
  return { ips, invalid: entries.filter((entry) => canonicalIp(entry) === undefined) };
};

const isWithin = (address: Address, ranges: readonly string[]): boolean => {
  const own: Cidr = cidrAround(address, WIDTHS[address.family]);
  return ranges.some((range) => {
    const cidr = parseCidr(range);
    return cidr !== undefined && overlaps(cidr, own);
  });
};

/** Why the address can be no node's address; `hostAddresses` are those of the machine's interfaces. `undefined`: it is fit. */
export const nodeIpFault = (ip: string, hostAddresses: readonly string[]): string | undefined => {
  const address = ofCanonical(ip);
  if (!address) return 'nodeIP must be a valid IP address';
  if (isWithin(address, ['127.0.0.0/8', '::1/128'])) return "nodeIP can't be loopback address";
  if (isWithin(address, ['224.0.0.0/4', 'ff00::/8'])) return "nodeIP can't be a multicast address";
  if (isWithin(address, ['169.254.0.0/16', 'fe80::/10']))
    return "nodeIP can't be a link-local unicast address";
  if (address.number === 0n) return "nodeIP can't be an all zeros address";
  const text = addressText(address);
  if (hostAddresses.some((host) => canonicalIp(host) === text)) return undefined;
  return `node IP: "${text}" not found in the host's network interfaces`;
};
