/** Parses and formats IP addresses. Source: Go `net`, RFC 5952. */

/** A parsed IP address. `number` is its value as an unsigned integer of 32 or 128 bits. */
export interface Address {
  readonly family: 4 | 6;
  readonly number: bigint;
  /** False if a decimal part has leading zeros, which Go's `netip` refuses. */
  readonly isStrict: boolean;
}

/** Number of bits of an address, by family. */
export const WIDTHS = { 4: 32, 6: 128 } as const;

const fromParts = (parts: readonly bigint[], bits: bigint): bigint =>
  parts.reduce((number, part) => (number << bits) | part, 0n);

const parseFour = (text: string): Address | undefined => {
  const octets = text.split('.');
  if (octets.length !== 4 || !octets.every((octet) => /^\d+$/.test(octet) && Number(octet) < 256))
    return undefined;
  const isStrict = octets.every((octet) => octet === '0' || !octet.startsWith('0'));
  return { family: 4, number: fromParts(octets.map(BigInt), 8n), isStrict };
};

// The last 32 bits may be written as IPv4.
const withHexTail = (text: string): { hex: string; isStrict: boolean } | undefined => {
  const tail = text.slice(text.lastIndexOf(':') + 1);
  if (!tail.includes('.')) return { hex: text, isStrict: true };
  const four = parseFour(tail);
  if (!four) return undefined;
  const [high, low] = [four.number >> 16n, four.number & 0xffffn].map((half) => half.toString(16));
  return { hex: `${text.slice(0, -tail.length)}${high}:${low}`, isStrict: four.isStrict };
};

const groupsOf = (text: string): readonly string[] => (text === '' ? [] : text.split(':'));

const parseSix = (text: string): Address | undefined => {
  const written = withHexTail(text);
  const halves = written?.hex.split('::') ?? [];
  if (!written || halves.length > 2) return undefined;
  const [head, tail] = [groupsOf(halves[0] ?? ''), groupsOf(halves[1] ?? '')];
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...tail];
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  const number = fromParts(
    groups.map((group) => BigInt(`0x${group}`)),
    16n,
  );
  return { family: 6, number, isStrict: written.isStrict };
};

/** Parses an IPv4 or IPv6 address; `undefined` if the text is neither. */
export const parseAddress = (text: string): Address | undefined =>
  text.includes(':') ? parseSix(text) : parseFour(text);

const partsOf = (number: bigint, count: number, bits: bigint): readonly bigint[] =>
  Array.from({ length: count }, (_, at) => (number >> (bits * BigInt(count - 1 - at))) & ((1n << bits) - 1n));

const fourText = (number: bigint): string => partsOf(number, 4, 8n).join('.');

/** Formats an IPv6 address with its longest run of zero groups (the first of equally long ones) as `::`. */
const sixText = (number: bigint): string => {
  const groups = partsOf(number, 8, 16n).map((group) => group.toString(16));
  const runs = groups.map((_, from) => {
    const end = groups.findIndex((group, at) => at >= from && group !== '0');
    return (end < 0 ? groups.length : end) - from;
  });
  const longest = Math.max(...runs);
  if (longest < 2) return groups.join(':');
  const from = runs.indexOf(longest);
  return `${groups.slice(0, from).join(':')}::${groups.slice(from + longest).join(':')}`;
};

const MAPPED = 0xffffn;

/** Whether an IPv6 address is an IPv4-mapped one, such as `::ffff:1.2.3.4`. */
export const isMapped = ({ family, number }: Pick<Address, 'family' | 'number'>): boolean =>
  family === 6 && number >> 32n === MAPPED;

/** Formats an address in canonical form (RFC 5952 for IPv6). */
export const addressText = (address: Pick<Address, 'family' | 'number'>): string => {
  if (address.family === 4 || isMapped(address)) return fourText(address.number & 0xffff_ffffn);
  return sixText(address.number);
};
