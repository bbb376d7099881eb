import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Text as it is below this many characters; deflated, most objects take a fifth, and a commit writes each up to four times. */
const DEFLATE_FROM = 1024;

/** A value as a column holds it: text, or deflated text. */
export type Packed = string | Uint8Array;

export const pack = (value: unknown): Packed => {
  const text = JSON.stringify(value);
  return text.length < DEFLATE_FROM ? text : deflateRawSync(text, { level: 1 });
};

/** The caller knows what it had packed. */
export const unpack = <T>(packed: Packed): T =>
  JSON.parse(typeof packed === 'string' ? packed : inflateRawSync(packed).toString()) as T;
