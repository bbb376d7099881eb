import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Texts with at least this many characters are deflated. Most objects shrink to a fifth, and a commit writes each up to four times. */
const DEFLATE_FROM = 1024;

/** A JSON value as a column stores it: its text, or its deflated text. */
export type Packed = string | Uint8Array;

/** A JSON text, and as a column stores it. */
export interface PackedText {
  readonly text: string;
  readonly packed: Packed;
}

/** Packs a JSON value. */
export const pack = (value: unknown): PackedText => {
  const text = JSON.stringify(value);
  return { text, packed: text.length < DEFLATE_FROM ? text : deflateRawSync(text, { level: 1 }) };
};

/** The JSON text of a packed value. */
export const unpackText = (packed: Packed): string =>
  typeof packed === 'string' ? packed : inflateRawSync(packed).toString();

/** Unpacks texts as `unpackText` does, and counts their characters. */
export const countingUnpack = (): {
  readonly text: (packed: Packed | null) => string | null;
  readonly characters: () => number;
} => {
  let characters = 0;
  return {
    text: (packed) => {
      if (packed === null) return null;
      const text = unpackText(packed);
      characters += text.length;
      return text;
    },
    characters: () => characters,
  };
};

/** Unpacks a value. The caller must know its type. */
export const unpack = <T>(packed: Packed): T => JSON.parse(unpackText(packed)) as T;
