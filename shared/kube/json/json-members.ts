/** Measures JSON texts and values: facts that `JSON.parse` does not report, found in one pass over the text. */

/** Measures of a JSON text. */
export interface JsonSurvey {
  /** Members of all objects. If a name is repeated in an object, this exceeds the count of the parsed value. */
  readonly members: number;
  /** All values at any depth, the outermost included. An empty container counts as two. */
  readonly values: number;
  /** How deeply objects and lists are nested. */
  readonly depth: number;
  /** Digits of the longest run of digits in a number; a point or an exponent begins a new run. */
  readonly digits: number;
  /** Whether any number has a fraction, an exponent, or so many digits that a double may round it. */
  readonly hasOddNumbers: boolean;
}

const [QUOTE, BACKSLASH, COLON, DOT, PLUS, ZERO, NINE] = [34, 92, 58, 46, 43, 48, 57];
const [UPPER_E, LOWER_E] = [69, 101];
/** Decimal digits that a double always holds exactly. */
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

// An `e` after a digit is an exponent; any other `e` is part of `true` or `false`.
const isOdd = (text: string, at: number, code: number, digits: number): boolean =>
  digits > SAFE_DIGITS ||
  code === DOT ||
  code === PLUS ||
  ((code === LOWER_E || code === UPPER_E) && isDigit(text.charCodeAt(at - 1)));

const [COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [44, 91, 93, 123, 125];

interface Structure {
  values: number;
  members: number;
  open: number;
  depth: number;
}

const noteStructure = (structure: Structure, code: number): void => {
  if (code === COLON) structure.members += 1;
  else if (code === COMMA) structure.values += 1;
  else if (code === OPEN_LIST || code === OPEN_OBJECT) {
    structure.values += 1;
    structure.open += 1;
    if (structure.open > structure.depth) structure.depth = structure.open;
  } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) structure.open -= 1;
};

/** Measures a text in one pass. The text may be invalid JSON. */
export const surveyJson = (text: string): JsonSurvey => {
  const structure: Structure = { values: 1, members: 0, open: 0, depth: 0 };
  let [digits, mostDigits, hasOddNumbers] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    digits = isDigit(code) ? digits + 1 : 0;
    if (digits > mostDigits) mostDigits = digits;
    if (code === QUOTE) at = endOfString(text, at);
    else if (isOdd(text, at, code, digits)) hasOddNumbers = true;
    else noteStructure(structure, code);
  }
  const { members, values, depth } = structure;
  return { members, values, depth, digits: mostDigits, hasOddNumbers };
};

/** Measures of a parsed value: the members of all its objects, and its deepest nesting. */
export interface ValueSurvey {
  readonly members: number;
  readonly depth: number;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Measures a parsed value level by level, so that a deeply nested value cannot exhaust the stack. */
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
