/** Makes untrusted text safe to print: no escape sequence, forged line or hidden character remains. */

/**
 * Control characters (C0, DEL, C1), format characters (bidi controls, zero width), line separators, lone surrogates.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const SHORT: Readonly<Record<string, string>> = {
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
};

const escaped = (character: string): string =>
  SHORT[character] ??
  Array.from(
    { length: character.length },
    (_, index) => String.raw`\u` + character.charCodeAt(index).toString(16).padStart(4, '0'),
  ).join('');

/** Returns the text as one line. Unprintable characters appear as JSON escapes, such as `\u001b` and `\n`. */
export const printable = (text: string): string => text.replaceAll(UNPRINTABLE, escaped);

/** Like `printable`, for text of several lines: line ends stay. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');
