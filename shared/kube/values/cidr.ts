/** Parses and formats CIDRs, such as `10.244.0.0/16`. Source: Go `net.ParseCIDR`. */
import { type Address, addressText, parseAddress, WIDTHS } from './ip.ts';

/** The addresses `first` to `last` of one family. */
export interface Cidr {
  readonly family: Address['family'];
  readonly first: bigint;
  readonly last: bigint;
  /** Number of leading bits that all its addresses share. */
  readonly mask: number;
}

/** The CIDR with this mask that contains the address. */
export const cidrAround = ({ family, number }: Pick<Address, 'family' | 'number'>, mask: number): Cidr => {
  const rest = BigInt(WIDTHS[family] - mask);
  const first = (number >> rest) << rest;
  return { family, first, last: first + (1n << rest) - 1n, mask };
};

/** Parses a CIDR; bits behind the mask are dropped. `undefined` if the text is none. */
export const parseCidr = (text: string): Cidr | undefined => {
  const [, written = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const address = parseAddress(written);
  const mask = Number(bits);
  return address && mask <= WIDTHS[address.family] ? cidrAround(address, mask) : undefined;
};

/** Formats a CIDR in canonical form. */
export const cidrText = ({ family, first, mask }: Cidr): string =>
  `${addressText({ family, number: first })}/${mask}`;

/** Whether the two CIDRs have an address in common. One of them then contains the other. */
export const overlaps = (a: Cidr, b: Cidr): boolean =>
  a.family === b.family && a.first <= b.last && b.first <= a.last;
