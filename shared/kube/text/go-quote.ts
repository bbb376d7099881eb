/** Formats values as Go does in messages. Source: Go `strconv.Quote`, `encoding/json`. */

const ESCAPES: Readonly<Record<string, string>> = {
  '"': String.raw`\"`,
  '\\': String.raw`\\`,
  '\u0007': String.raw`\a`,
  '\b': String.raw`\b`,
  '\f': String.raw`\f`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
  '\u000b': String.raw`\v`,
};

// Go escapes control, format, private-use and lone surrogate characters, and every space except U+0020.
const UNPRINTABLE = /["\\]|[\p{C}\p{Z}]/gu;

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

const escaped = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  if (character === ' ') return character;
  const known = ESCAPES[character];
  if (known !== undefined) return known;
  if (code < 0x80) return `\\x${hex(code, 2)}`;
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
};

/** Formats a text like Go's `%q`. */
export const quote = (text: string): string => `"${text.replaceAll(UNPRINTABLE, escaped)}"`;

/** Characters that Go's JSON escapes, to make the output safe inside HTML. */
const MARKUP = /[<>&\u2028\u2029]/g;

/** Formats a field's value for a message: a string quoted, any other value as JSON, `undefined` as `null`. */
export const printedValue = (value: unknown): string =>
  typeof value === 'string'
    ? quote(value)
    : JSON.stringify(value ?? null).replaceAll(MARKUP, (one) => `\\u${hex(one.charCodeAt(0), 4)}`);

/** The most characters of a client's text that an answer repeats. */
const MOST_CHARACTERS = 10_000;

/** Shortens a client's text for an answer that repeats it. */
export const shortened = (text: string): string =>
  text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;

/** Formats a value like `printedValue` and limits its length. */
export const shortValue = (value: unknown): string =>
  typeof value === 'string' && value.length > MOST_CHARACTERS
    ? `${quote(value.slice(0, MOST_CHARACTERS))}…`
    : shortened(printedValue(value));
