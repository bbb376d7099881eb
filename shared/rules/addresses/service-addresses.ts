/** Which addresses Services get. Source: kubernetes v1.34 `pkg/registry/core/service/ipallocator`, `alloc.go`. */
import type { Cidr } from '../../kube/values/cidr.ts';
import { cidrText, parseCidr } from '../../kube/values/cidr.ts';
import { type Address, addressText, parseAddress } from '../../kube/values/ip.ts';

/** The families of addresses, as a Service names them. */
export type IpFamily = 'IPv4' | 'IPv6';

/** The fields of a Service's spec that its addresses follow from. */
export interface AddressedSpec {
  readonly type?: string;
  readonly clusterIP?: string;
  readonly clusterIPs?: readonly string[];
  readonly ipFamilies?: readonly string[];
  readonly ipFamilyPolicy?: string;
}

const HEADLESS = 'None';

/** The ranges of a setting that was checked. */
export const serviceRanges = (texts: readonly string[]): readonly Cidr[] =>
  texts.flatMap((text) => parseCidr(text) ?? []);

const familyOf = ({ family }: Pick<Cidr, 'family'>): IpFamily => `IPv${family}`;

/** Whether a Service of this spec has addresses: one without a selector or type, too, but no `ExternalName` and no headless one. */
export const hasClusterIp = ({ type, clusterIP, clusterIPs = [] }: AddressedSpec): boolean =>
  type !== 'ExternalName' && (clusterIP ?? clusterIPs[0] ?? '') !== HEADLESS;

/**
 * The families of which the Service gets an address, one each: those that it names, then those of its own addresses, then that of the first range;
 * with a dual-stack policy both, as far as the cluster has them.
 */
export const familiesOf = (spec: AddressedSpec, ranges: readonly Cidr[]): readonly IpFamily[] => {
  const given = (spec.clusterIPs ?? []).flatMap((text) => parseAddress(text) ?? []).map(familyOf);
  const has = ranges.map(familyOf);
  const named = (spec.ipFamilies ?? []) as readonly IpFamily[];
  const isDual = (spec.ipFamilyPolicy ?? 'SingleStack') !== 'SingleStack';
  const wanted = [...new Set([...named, ...given, ...has])];
  const most = isDual ? 2 : Math.max(1, named.length, given.length);
  return wanted.slice(0, most);
};

/** The range of a family; `undefined`: the cluster has none. */
export const rangeOf = (ranges: readonly Cidr[], family: IpFamily): Cidr | undefined =>
  ranges.find((range) => familyOf(range) === family);

/** The usable numbers: neither the address of the network nor, with IPv4, that for all. */
const bounds = ({ family, first, last }: Cidr): readonly [bigint, bigint] => [
  first + 1n,
  family === 4 ? last - 1n : last,
];

/** Why the address cannot be given; `undefined`: it is in the range of its family. */
export const rangeFault = (
  text: string,
  { family, number }: Address,
  ranges: readonly Cidr[],
): string | undefined => {
  const range = ranges.find((one) => one.family === family);
  if (!range)
    return `the provided IP (${text}) is not in the valid range. The range of valid IPs is ${ranges.map(cidrText).join(',')}`;
  const [least, most] = bounds(range);
  return number >= least && number <= most
    ? undefined
    : `the provided IP (${text}) is not in the valid range. The range of valid IPs is ${cidrText(range)}`;
};

const RUN = 32n;

/**
 * Addresses to try, without end: from the place that `random` (at least 0, less than 1) names, 32 in a row, then from another place. A range of up to
 * 512 addresses is gone through once.
 */
export function* candidates(range: Cidr, random: () => number): Generator<string, void, undefined> {
  const [least, most] = bounds(range);
  const size = most - least + 1n;
  if (size <= 0n) return;
  const at = (): bigint => BigInt(Math.floor(random() * Number(size > 2n ** 48n ? 2n ** 48n : size)));
  const text = (offset: bigint): string =>
    addressText({ family: range.family, number: least + (offset % size) });
  if (size <= 512n) {
    const from = at();
    for (let step = 0n; step < size; step += 1n) yield text(from + step);
    return;
  }
  for (;;) {
    const from = at();
    for (let step = 0n; step < RUN; step += 1n) yield text(from + step);
  }
}
