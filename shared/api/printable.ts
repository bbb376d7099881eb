/** Text that others wrote, made safe to show: no escape sequence, forged line or hidden character gets through. */

/** Control characters (C0, DEL, C1), format characters (bidi controls, zero width), line separators, lone surrogates. */
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

/** One line in which every character shows: the others appear as in a JSON string, such as `\u001b` and `\n`. */
export const printable = (text: string): string => text.replaceAll(UNPRINTABLE, escaped);

/** The same for text of several lines: its line ends stay. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');
