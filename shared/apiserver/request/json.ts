/** JSON bodies. */
import { surveyJson, surveyValue } from '../../api/json-members.ts';
import { jsonSyntaxFault, MAX_JSON_DEPTH } from '../../api/json-syntax.ts';
import type { ParsedJson } from '../../api/schema/strict.ts';
import { checkBodyValues } from '../../api/value-limits.ts';

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Digits that a number may have: reading it takes longer than its length. */
const MAX_DIGITS = 1_000;

/** What was read of bodies that still wait for their answer: several steps of a request ask for the same one. */
const known = new WeakMap<Uint8Array, ParsedJson>();

/** A body's JSON with its text; `undefined` where it is none. Throws 413 for more values than are read. */
export const tryJson = (body: Uint8Array, mostValues?: number): ParsedJson | undefined => {
  const before = known.get(body);
  if (before) checkBodyValues(before.survey.values, mostValues);
  const found = before ?? parsed(body, mostValues);
  if (found) known.set(body, found);
  return found;
};

const parsed = (body: Uint8Array, mostValues: number | undefined): ParsedJson | undefined => {
  const text = UTF8.decode(body);
  const survey = surveyJson(text);
  checkBodyValues(survey.values, mostValues);
  if (survey.depth > MAX_JSON_DEPTH) return undefined;
  try {
    const value = JSON.parse(text) as unknown;
    return { text, survey, value, members: surveyValue(value).members };
  } catch {
    return undefined;
  }
};

/** A body's JSON with its text; throws what `fail` makes of Go's complaint, and 413 for more values than are read. */
export const readJson = (
  body: Uint8Array,
  fail: (complaint: string) => Error,
  mostValues?: number,
): ParsedJson => {
  const found = tryJson(body, mostValues);
  if (found && found.survey.digits > MAX_DIGITS) throw fail(`a number may have ${MAX_DIGITS} digits`);
  if (found) return found;
  const complaint = jsonSyntaxFault(Buffer.from(body).toString('latin1'));
  throw fail(complaint ?? 'invalid character in string literal');
};

/** The JSON value of a body; throws what `fail` makes of Go's complaint. */
export const parseJson = (body: Uint8Array, fail: (complaint: string) => Error): unknown =>
  readJson(body, fail).value;
