/** Measures, cuts and pads text by the columns that it takes on a terminal. */

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** East Asian wide and fullwidth characters, and emoji that are shown as pictures. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}|^\p{Emoji}\ufe0f/u;
const PLAIN = /^[\x20-\x7e]*$/;

const graphemesOf = (text: string): readonly string[] =>
  Array.from(GRAPHEMES.segment(text), ({ segment }) => segment);

const graphemeWidth = (grapheme: string): number => {
  if (/^\p{Mn}/u.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
};

/** Columns that a text takes. It must not contain control characters. */
export const displayWidth = (text: string): number =>
  PLAIN.test(text) ? text.length : graphemesOf(text).reduce((sum, one) => sum + graphemeWidth(one), 0);

/** The text in at most `columns` columns, with `…` where it is cut. */
export const cut = (text: string, columns: number): string => {
  if (displayWidth(text) <= columns) return text;
  let [shown, width] = ['', 0];
  for (const grapheme of graphemesOf(text)) {
    width += graphemeWidth(grapheme);
    if (width > columns - 1) break;
    shown += grapheme;
  }
  return columns < 1 ? '' : `${shown}…`;
};

/** The text, filled with spaces up to `columns`. */
export const padded = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - displayWidth(text)));
