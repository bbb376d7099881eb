/** What `JSON.parse` does not tell about a text, found without parsing it again. */

export interface JsonSurvey {
  /** Members of all objects; more than the parsed value has when a name came twice. */
  readonly members: number;
  /** A number with a fraction, an exponent or so many digits that a double may round it. */
  readonly hasOddNumbers: boolean;
}

const [QUOTE, BACKSLASH, COLON, DOT, PLUS, ZERO, NINE] = [34, 92, 58, 46, 43, 48, 57];
const [UPPER_E, LOWER_E] = [69, 101];
/** Digits that a double always holds. */
const SAFE_DIGITS = 15;

/** Index of the quote that ends the string which starts at `at`. */
export const endOfString = (text: string, at: number): number => {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
};

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

// Exponents are told from literals by the digit before them.
const isOdd = (text: string, at: number, code: number, digits: number): boolean =>
  digits > SAFE_DIGITS ||
  code === DOT ||
  code === PLUS ||
  ((code === LOWER_E || code === UPPER_E) && isDigit(text.charCodeAt(at - 1)));

/** `text` is valid JSON. */
export const surveyJson = (text: string): JsonSurvey => {
  let [members, digits, hasOddNumbers] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COLON) members += 1;
    digits = isDigit(code) ? digits + 1 : 0;
    if (code !== QUOTE && isOdd(text, at, code, digits)) hasOddNumbers = true;
  }
  return { members, hasOddNumbers };
};

export interface ValueSurvey {
  readonly members: number;
  readonly depth: number;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Counts level by level, so that a deep value costs no stack. */
export const surveyValue = (value: unknown): ValueSurvey => {
  let [members, depth] = [0, 0];
  for (let level: unknown[] = [value].filter(isContainer); level.length > 0; depth += 1) {
    const next: unknown[] = [];
    for (const container of level) {
      const inner: readonly unknown[] = Object.values(container as object);
      if (!Array.isArray(container)) members += inner.length;
      for (const one of inner) if (isContainer(one)) next.push(one);
    }
    level = next;
  }
  return { members, depth };
};
