/** JSON bodies. */
import { surveyValue } from '../api/json-members.ts';
import { jsonSyntaxFault, MAX_JSON_DEPTH } from '../api/json-syntax.ts';
import type { ParsedJson } from '../api/schema/strict.ts';

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

const parsed = (text: string): ParsedJson | undefined => {
  try {
    const value = JSON.parse(text) as unknown;
    const { members, depth } = surveyValue(value);
    return depth > MAX_JSON_DEPTH ? undefined : { text, value, members };
  } catch {
    return undefined;
  }
};

/** A body's JSON with its text; throws what `fail` makes of Go's complaint. */
export const readJson = (body: Uint8Array, fail: (complaint: string) => Error): ParsedJson => {
  const found = parsed(UTF8.decode(body));
  if (found) return found;
  const complaint = jsonSyntaxFault(Buffer.from(body).toString('latin1'));
  throw fail(complaint ?? 'invalid character in string literal');
};

/** The JSON value of a body; throws what `fail` makes of Go's complaint. */
export const parseJson = (body: Uint8Array, fail: (complaint: string) => Error): unknown =>
  readJson(body, fail).value;
