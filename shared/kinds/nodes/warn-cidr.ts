import type { Address } from '../../kube/values/ip.ts';
import { addressText, isMapped, parseAddress, WIDTHS } from '../../kube/values/ip.ts';

interface Cidr {
  readonly address: Address;
  readonly network: bigint;
  readonly bits: number;
  readonly isStrict: boolean;
}

const parseCidr = (value: string): Cidr | undefined => {
  const [text = '', bits = '', ...rest] = value.split('/');
  const address = parseAddress(text);
  if (!address || rest.length > 0 || !/^\d{1,3}$/.test(bits)) return undefined;
  const free = WIDTHS[address.family] - Number(bits);
  if (free < 0) return undefined;
  const network = (address.number >> BigInt(free)) << BigInt(free);
  const isStrict = address.isStrict && bits === String(Number(bits)) && !isMapped(address);
  return { address, network, bits: Number(bits), isStrict };
};

// Go prints an IPv4-mapped network as IPv4.
const networkText = ({ address, network, bits }: Cidr): string => {
  const net = { family: address.family, number: network };
  return `${addressText(net)}/${isMapped(net) ? Math.max(0, bits - 96) : bits}`;
};

const oddities = (value: string, cidr: Cidr): readonly string[] => {
  const { address, network, isStrict } = cidr;
  const [given, net] = [JSON.stringify(value), networkText(cidr)];
  const single = `${addressText(address)}/${WIDTHS[address.family]}`;
  return [
    ...(address.number === network
      ? []
      : [`CIDR value ${given} is ambiguous in this context (should be "${net}" or "${single}"?)`]),
    ...(isStrict
      ? []
      : [
          `non-standard CIDR value ${given} will be considered invalid in a future Kubernetes release: use "${net}"`,
        ]),
  ];
};

/** Warnings about a valid CIDR in unusual form. Source: apimachinery v1.34 `GetWarningsForCIDR`. */
export const cidrWarnings = (field: string, value: string): readonly string[] => {
  const cidr = parseCidr(value);
  if (!cidr) return [];
  const found = oddities(value, cidr);
  const canonical = networkText(cidr);
  const texts =
    found.length === 0 && cidr.address.family === 6 && canonical !== value
      ? [`IPv6 CIDR value ${JSON.stringify(value)} should be in RFC 5952 canonical format ("${canonical}")`]
      : found;
  return texts.map((text) => `${field}: ${text}`);
};
