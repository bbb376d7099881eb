/** The Distinguished Encoding Rules, as far as a certificate needs them. Source: ITU-T X.690. */

const lengthOf = (length: number): readonly number[] => {
  if (length < 0x80) return [length];
  const digits: number[] = [];
  for (let left = length; left > 0; left = Math.floor(left / 0x1_00)) digits.unshift(left % 0x1_00);
  return [0x80 + digits.length, ...digits];
};

const tagged = (tag: number, ...parts: readonly Uint8Array[]): Uint8Array => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
};

export const sequence = (...parts: readonly Uint8Array[]): Uint8Array => tagged(0x30, ...parts);
export const set = (...parts: readonly Uint8Array[]): Uint8Array => tagged(0x31, ...parts);
/** `[number]`, around something else. */
export const explicit = (number: number, ...parts: readonly Uint8Array[]): Uint8Array =>
  tagged(0xa0 + number, ...parts);
/** `[number]`, in the place of a tag of its own. */
export const implicit = (number: number, content: Uint8Array): Uint8Array => tagged(0x80 + number, content);
export const octets = (content: Uint8Array): Uint8Array => tagged(0x04, content);
export const utf8 = (text: string): Uint8Array => tagged(0x0c, Buffer.from(text));
export const truth: Uint8Array = tagged(0x01, Buffer.from([0xff]));
/** Whole bytes. */
export const bits = (content: Uint8Array, unused = 0): Uint8Array =>
  tagged(0x03, Buffer.from([unused]), content);
/** Of the first byte, which is below 128. */
export const integer = (content: Uint8Array): Uint8Array => tagged(0x02, content);

const base128 = (value: number): readonly number[] => {
  const digits = [value % 0x80];
  for (let left = Math.floor(value / 0x80); left > 0; left = Math.floor(left / 0x80))
    digits.unshift(0x80 + (left % 0x80));
  return digits;
};

/** An object identifier such as `2.5.4.3`. */
export const identifier = (text: string): Uint8Array => {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
};

/** An instant with four digits of the year, in whole seconds: `20260102030405Z`. */
export const generalizedTime = (iso: string): Uint8Array =>
  tagged(0x18, Buffer.from(`${iso.replaceAll(/[-:T]/g, '').slice(0, 14)}Z`));
