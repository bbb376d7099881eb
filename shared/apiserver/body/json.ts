/** Parses JSON bodies. */
import { surveyJson, surveyValue } from '../../kube/json/json-members.ts';
import { jsonSyntaxFault, MAX_JSON_DEPTH } from '../../kube/json/json-syntax.ts';
import { checkBodyValues } from '../../kube/json/value-limits.ts';
import type { ParsedJson } from '../../kube/schema/strict.ts';

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Most digits of a number: parsing takes longer than linear time in its length. */
const MAX_DIGITS = 1_000;

/** The parsed bodies of requests in progress, because several steps of a request read the same body. */
const known = new WeakMap<Uint8Array, ParsedJson>();

/**
 * A body's JSON value with its text; `undefined` if it is not JSON. Throws 413 for more values than
 * `mostValues`.
 */
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

/**
 * A body's JSON value with its text. Throws the error that `fail` makes of Go's message, and 413 for too many
 * values.
 */
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

/** A body's JSON value. Throws the error that `fail` makes of Go's message, and 413 for too many values. */
export const parseJson = (body: Uint8Array, fail: (complaint: string) => Error): unknown =>
  readJson(body, fail).value;
