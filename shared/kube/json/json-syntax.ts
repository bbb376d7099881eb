/** Finds JSON syntax errors and words them like Go's scanner. Source: Go `encoding/json/scanner.go`. */

class SyntaxFault extends Error {}

const END = 'unexpected end of JSON input';
/** The deepest nesting that Go's scanner accepts. */
export const MAX_JSON_DEPTH = 10_000;

interface Cursor {
  readonly text: string;
  at: number;
}

const quoted = (character: string): string => {
  if (character === "'") return `'\\''`;
  if (character === '"') return `'"'`;
  return `'${JSON.stringify(character).slice(1, -1)}'`;
};

const fault = ({ text, at }: Cursor, where: string): SyntaxFault => {
  const character = text[at];
  return new SyntaxFault(character === undefined ? END : `invalid character ${quoted(character)} ${where}`);
};

const skipSpace = (cursor: Cursor): string | undefined => {
  while (' \t\r\n'.includes(cursor.text[cursor.at] ?? 'x')) cursor.at += 1;
  return cursor.text[cursor.at];
};

const scanString = (cursor: Cursor): void => {
  for (cursor.at += 1; cursor.text[cursor.at] !== '"'; cursor.at += 1) {
    const character = cursor.text[cursor.at];
    if (character === undefined || character < ' ') throw fault(cursor, 'in string literal');
    if (character !== '\\') continue;
    cursor.at += 1;
    if (!'bfnrt\\/"u'.includes(cursor.text[cursor.at] ?? '')) throw fault(cursor, 'in string escape code');
  }
  cursor.at += 1;
};

const scanLiteral = (cursor: Cursor, literal: string): void => {
  for (const expected of literal) {
    if (cursor.text[cursor.at] !== expected)
      throw fault(cursor, `in literal ${literal} (expecting '${expected}')`);
    cursor.at += 1;
  }
};

const scanNumber = (cursor: Cursor): void => {
  const number = /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
  number.lastIndex = cursor.at;
  const found = number.exec(cursor.text);
  if (!found) {
    cursor.at += 1;
    throw fault(cursor, 'in numeric literal');
  }
  cursor.at += found[0].length;
};

const scanKey = (cursor: Cursor): void => {
  if (skipSpace(cursor) !== '"') throw fault(cursor, 'looking for beginning of object key string');
  scanString(cursor);
  if (skipSpace(cursor) !== ':') throw fault(cursor, 'after object key');
  cursor.at += 1;
};

const LITERALS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };

const scanScalar = (cursor: Cursor, first: string): void => {
  const literal = LITERALS[first];
  if (first === '"') scanString(cursor);
  else if (literal) scanLiteral(cursor, literal);
  else if (/[-\d]/.test(first)) scanNumber(cursor);
  else throw fault(cursor, 'looking for beginning of value');
};

interface Container {
  readonly close: string;
  /** Completes the message about a character that is neither a comma nor the closing bracket. */
  readonly after: string;
}

const OBJECT: Container = { close: '}', after: 'after object key:value pair' };
const CONTAINERS: Readonly<Record<string, Container>> = {
  '{': OBJECT,
  '[': { close: ']', after: 'after array element' },
};

/**
 * Reads the start of a value. Returns whether another value must follow: the first one of a container that is not
 * empty.
 */
const beginValue = (cursor: Cursor, open: Container[]): boolean => {
  const first = skipSpace(cursor) ?? '';
  const container = CONTAINERS[first];
  if (!container) {
    scanScalar(cursor, first);
    return false;
  }
  if (open.length >= MAX_JSON_DEPTH) throw fault(cursor, 'exceeded max depth');
  cursor.at += 1;
  if (skipSpace(cursor) === container.close) {
    cursor.at += 1;
    return false;
  }
  open.push(container);
  if (container === OBJECT) scanKey(cursor);
  return true;
};

/**
 * Reads what follows a value in `container`. Returns whether another value must follow; otherwise closes the container.
 */
const continueContainer = (cursor: Cursor, container: Container, open: Container[]): boolean => {
  const next = skipSpace(cursor);
  if (next !== container.close && next !== ',') throw fault(cursor, container.after);
  cursor.at += 1;
  if (next === container.close) open.pop();
  else if (container === OBJECT) scanKey(cursor);
  return next === ',';
};

// A loop instead of recursion: a body may be nested more deeply than the stack allows.
const scanValue = (cursor: Cursor): void => {
  const open: Container[] = [];
  let isDue = true;
  for (;;) {
    if (isDue) isDue = beginValue(cursor, open);
    const container = open.at(-1);
    if (isDue) continue;
    if (!container) return;
    isDue = continueContainer(cursor, container, open);
  }
};

/** The error message for `text` (one character per byte), or `undefined` if it is valid JSON. */
export const jsonSyntaxFault = (text: string): string | undefined => {
  const cursor: Cursor = { text, at: 0 };
  try {
    scanValue(cursor);
    if (skipSpace(cursor) !== undefined) throw fault(cursor, 'after top-level value');
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxFault) return error.message;
    throw error;
  }
};
