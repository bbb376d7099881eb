/** What an IP address is for. Source: Go `net.IP`. */
import { cidrAround, overlaps, parseCidr } from '../../../shared/kube/values/cidr.ts';
import { type Address, addressText, parseAddress, WIDTHS } from '../../../shared/kube/values/ip.ts';

/** The address in canonical form, an IPv4-mapped one as IPv4; `undefined` if the text is none. */
export const canonicalIp = (text: string): string | undefined => {
  const address = parseAddress(text);
  return address && addressText(address);
};

const addressOf = (text: string): Address | undefined => parseAddress(canonicalIp(text) ?? '');

/** The family of an address; `undefined` if the text is none. */
export const familyOf = (ip: string): 4 | 6 | undefined => addressOf(ip)?.family;

const RANGES = [
  ['unspecified', ['0.0.0.0/32', '::/128']],
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['multicast', ['224.0.0.0/4', 'ff00::/8']],
  ['link-local', ['169.254.0.0/16', 'fe80::/10']],
  ['broadcast', ['255.255.255.255/32']],
] as const;

/** `global` includes private addresses such as `10.0.0.1`. */
export type IpKind = (typeof RANGES)[number][0] | 'global';

const isWithin = (address: Address, range: string): boolean => {
  const cidr = parseCidr(range);
  return cidr !== undefined && overlaps(cidr, cidrAround(address, WIDTHS[address.family]));
};

/** `undefined` if the text is no address. */
export const ipKind = (ip: string): IpKind | undefined => {
  const address = addressOf(ip);
  if (!address) return undefined;
  const found = RANGES.find(([, ranges]) => ranges.some((range) => isWithin(address, range)));
  return found?.[0] ?? 'global';
};
