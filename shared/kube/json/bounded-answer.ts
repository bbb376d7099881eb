/** Reads answers of others: bytes and JSON values are counted while they arrive, so that neither memory nor parsing exceeds the bounds. */
import type { AnswerBounds } from './answer-bounds.ts';

/** An answer exceeds its bounds. The rest of it was not read. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
}

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, OPEN_OBJECT] = [34, 92, 44, 91, 123];

/** Where the end of a text is, or that of the piece. A quote behind a backslash is none. */
const afterText = (piece: Uint8Array, from: number): number => {
  let at = from;
  while (at < piece.length && piece[at] !== QUOTE) at += piece[at] === BACKSLASH ? 2 : 1;
  return at;
};

/** The values that begin in the piece, outside of texts, until a text begins or the piece ends. */
const valuesUntilText = (
  piece: Uint8Array,
  from: number,
): { readonly at: number; readonly values: number } => {
  let [at, values] = [from, 0];
  for (; at < piece.length && piece[at] !== QUOTE; at += 1) {
    const byte = piece[at];
    if (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) values += 1;
  }
  return { at, values };
};

/** Counts the values of a JSON text that comes in pieces, as `surveyJson` counts those of a whole one. */
export const createValueCount = (): ((piece: Uint8Array) => number) => {
  let [values, isInText, skipped] = [1, false, 0];
  return (piece) => {
    let at = skipped;
    while (at < piece.length) {
      const outside = isInText ? { at: afterText(piece, at), values: 0 } : valuesUntilText(piece, at);
      values += outside.values;
      at = outside.at;
      if (at < piece.length) isInText = !isInText;
      at += at < piece.length ? 1 : 0;
    }
    // A backslash that ends a piece hides the first byte of the next one.
    skipped = at - piece.length;
    return values;
  };
};

const counted = ({
  bytes,
  values = Number.POSITIVE_INFINITY,
}: AnswerBounds): ((piece: Uint8Array) => void) => {
  const countValues = values === Number.POSITIVE_INFINITY ? () => 0 : createValueCount();
  let size = 0;
  return (piece) => {
    size += piece.byteLength;
    if (size > bytes) throw new AnswerTooLarge(`the answer has more than ${bytes} bytes`);
    if (countValues(piece) > values) throw new AnswerTooLarge(`the answer has more than ${values} values`);
  };
};

const joined = (pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
};

/** The whole answer. Rejects with `AnswerTooLarge`, and reads no further, as soon as it exceeds a bound. */
export const readBounded = async (
  pieces: AsyncIterable<Uint8Array>,
  bounds: AnswerBounds,
): Promise<Uint8Array<ArrayBuffer>> => {
  const count = counted(bounds);
  const kept: Uint8Array[] = [];
  for await (const piece of pieces) {
    count(piece);
    kept.push(piece);
  }
  return joined(kept);
};

const UTF8 = new TextDecoder();

/** The whole answer as text; `''` for none. Rejects as `readBounded` does. */
export const readBoundedText = async (
  pieces: AsyncIterable<Uint8Array> | null | undefined,
  bounds: AnswerBounds,
): Promise<string> => (pieces ? UTF8.decode(await readBounded(pieces, bounds)) : '');

/**
 * The lines of an answer as they arrive, without empty ones. A last line without a line feed counts. Rejects with `AnswerTooLarge` for a
 * line that exceeds the bound.
 */
export async function* boundedLines(
  pieces: AsyncIterable<Uint8Array>,
  { bytes }: AnswerBounds,
): AsyncGenerator<string, void, undefined> {
  // A piece may end within a character.
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of pieces) {
    const [first = '', ...others] = decoder.decode(piece, { stream: true }).split('\n');
    const lines = [rest + first, ...others];
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
    if (rest.length > bytes)
      throw new AnswerTooLarge(`a line of the answer has more than ${bytes} characters`);
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}
