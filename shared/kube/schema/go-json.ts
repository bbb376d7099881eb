/**
 * Reads JSON into a type as Go does, for texts of which `JSON.parse` loses information: repeated names, and numbers that a
 * double cannot represent exactly as written. Source: sigs.k8s.io/json, `UnmarshalStrict`.
 */
import { endOfString } from '../json/json-members.ts';
import type { FieldType, StructType } from './field-types.ts';
import { NumberText } from './go-types.ts';

interface Cursor {
  /** Must be valid JSON. */
  readonly text: string;
  at: number;
  readonly faults: string[];
}

type Members = Map<string, unknown>;

const skipSpace = (cursor: Cursor): string => {
  while (' \t\r\n'.includes(cursor.text[cursor.at] ?? 'x')) cursor.at += 1;
  return cursor.text[cursor.at] ?? '';
};

const take = (cursor: Cursor, end: number): string => {
  const taken = cursor.text.slice(cursor.at, end);
  cursor.at = end;
  return taken;
};

const DEPTH_CHANGES: Readonly<Record<string, number>> = { '{': 1, '[': 1, '}': -1, ']': -1 };

/** Takes the text of the value that starts here, without recursion. */
const takeValue = (cursor: Cursor): string => {
  skipSpace(cursor);
  let [at, depth] = [cursor.at, 0];
  for (; at < cursor.text.length; at += 1) {
    const character = cursor.text[at] ?? '';
    if (depth === 0 && ',]}'.includes(character)) break;
    if (character === '"') at = endOfString(cursor.text, at);
    else depth += DEPTH_CHANGES[character] ?? 0;
  }
  return take(cursor, at).trimEnd();
};

const readScalar = (cursor: Cursor): unknown => {
  const text = takeValue(cursor);
  if (!/^-?\d/.test(text)) return JSON.parse(text) as unknown;
  return /^-?\d{1,15}$/.test(text) ? Number(text) : new NumberText(text);
};

const readKey = (cursor: Cursor): string => {
  skipSpace(cursor);
  const key = JSON.parse(take(cursor, endOfString(cursor.text, cursor.at) + 1)) as string;
  skipSpace(cursor);
  cursor.at += 1;
  return key;
};

/** Calls `readOne` for each member or element of the container that starts here. */
const eachOf = (cursor: Cursor, readOne: () => void): void => {
  cursor.at += 1;
  for (let next = skipSpace(cursor); next !== '}' && next !== ']'; next = skipSpace(cursor)) {
    if (next === ',') cursor.at += 1;
    readOne();
  }
  cursor.at += 1;
};

const report = ({ faults }: Cursor, kind: 'duplicate' | 'unknown', path: string): void => {
  faults.push(`${kind} field "${path}"`);
};

const memberOf = (type: FieldType, key: string): FieldType | undefined => {
  if (type.type === 'map') return type.of;
  return type.type === 'struct' && Object.hasOwn(type.fields, key) ? type.fields[key] : undefined;
};

// As in Go, a repeated struct field is merged into the first one; any other repeated value replaces the first.
const readObject = (cursor: Cursor, type: FieldType, path: string, target: Members): Members => {
  const seen = new Set<string>();
  eachOf(cursor, () => {
    const key = readKey(cursor);
    const inner = path === '' ? key : `${path}.${key}`;
    const member = memberOf(type, key);
    if (!member) {
      report(cursor, 'unknown', inner);
      takeValue(cursor);
      return;
    }
    if (seen.has(key)) report(cursor, 'duplicate', inner);
    seen.add(key);
    target.set(key, readValue(cursor, member, inner, type.type === 'struct' ? target.get(key) : undefined));
  });
  return target;
};

const readList = (cursor: Cursor, of: FieldType, path: string): readonly unknown[] => {
  const list: unknown[] = [];
  eachOf(cursor, () => list.push(readValue(cursor, of, `${path}[${list.length}]`)));
  return list;
};

const readValue = (cursor: Cursor, type: FieldType, path: string, before?: unknown): unknown => {
  const first = skipSpace(cursor);
  if (first === '{' && (type.type === 'struct' || type.type === 'map'))
    return readObject(cursor, type, path, before instanceof Map ? before : new Map());
  if (first === '[' && type.type === 'list') return readList(cursor, type.of, path);
  return type.type === 'raw' ? (JSON.parse(takeValue(cursor)) as unknown) : readScalar(cursor);
};

const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...(value as Members)].map(([key, inner]) => [key, plain(inner)]));
};

/**
 * Reads a valid text for `decode`, without the fields that `type` does not have. `faults` are a strict decoder's
 * messages.
 */
export const readGoJson = (text: string, type: StructType): { value: unknown; faults: readonly string[] } => {
  const cursor: Cursor = { text, at: 0, faults: [] };
  const value = plain(readValue(cursor, type, ''));
  return { value, faults: cursor.faults };
};
