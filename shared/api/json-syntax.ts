/** What is wrong with a text that is no JSON, in the words of Go's scanner. Source: Go `encoding/json/scanner.go`. */

class SyntaxFault extends Error {}

const END = 'unexpected end of JSON input';
const MAX_DEPTH = 1_000;

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

const scanMember = (cursor: Cursor, depth: number): void => {
  if (skipSpace(cursor) !== '"') throw fault(cursor, 'looking for beginning of object key string');
  scanString(cursor);
  if (skipSpace(cursor) !== ':') throw fault(cursor, 'after object key');
  cursor.at += 1;
  scanValue(cursor, depth);
};

const scanSequence = (
  cursor: Cursor,
  close: '}' | ']',
  after: string,
  scanOne: (cursor: Cursor, depth: number) => void,
  depth: number,
): void => {
  cursor.at += 1;
  if (skipSpace(cursor) !== close) {
    scanOne(cursor, depth);
    for (let next = skipSpace(cursor); next !== close; next = skipSpace(cursor)) {
      if (next !== ',') throw fault(cursor, after);
      cursor.at += 1;
      scanOne(cursor, depth);
    }
  }
  cursor.at += 1;
};

const LITERALS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };

const scanValue = (cursor: Cursor, depth: number): void => {
  if (depth > MAX_DEPTH) throw new SyntaxFault('exceeded max depth');
  const first = skipSpace(cursor) ?? '';
  const literal = LITERALS[first];
  if (first === '{') scanSequence(cursor, '}', 'after object key:value pair', scanMember, depth + 1);
  else if (first === '[') scanSequence(cursor, ']', 'after array element', scanValue, depth + 1);
  else if (first === '"') scanString(cursor);
  else if (literal) scanLiteral(cursor, literal);
  else if (/[-\d]/.test(first)) scanNumber(cursor);
  else throw fault(cursor, 'looking for beginning of value');
};

/** The complaint about `text` (one character per byte), or `undefined` when it is JSON. */
export const jsonSyntaxFault = (text: string): string | undefined => {
  const cursor: Cursor = { text, at: 0 };
  try {
    scanValue(cursor, 0);
    if (skipSpace(cursor) !== undefined) throw fault(cursor, 'after top-level value');
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxFault) return error.message;
    throw error;
  }
};
