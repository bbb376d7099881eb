/** Strict decoding: reports unknown and duplicate fields of a body. Source: sigs.k8s.io/json, `UnmarshalStrict`. */
import type { JsonSurvey } from '../json/json-members.ts';
import { decode } from './decode.ts';
import type { StructType } from './field-types.ts';
import { readGoJson } from './go-json.ts';

/** A decoded body and what a strict decoder reports about it. */
export interface Decoded {
  /** In canonical form, without unknown fields. */
  readonly object: Readonly<Record<string, unknown>>;
  /** Such as `unknown field "spec.foo"`, in the order of the text. */
  readonly faults: readonly string[];
}

/** A valid JSON text, the result of `JSON.parse`, and the number of members in all its objects. */
export interface ParsedJson {
  readonly text: string;
  readonly survey: JsonSurvey;
  readonly value: unknown;
  readonly members: number;
}

const MOST_FAULTS = 100;

// Like Go's decoder, reports each fault once and at most a hundred faults.
const limited = (faults: readonly string[]): readonly string[] => [...new Set(faults)].slice(0, MOST_FAULTS);

/** Decodes a value that was not read from a text, such as a patched object. Throws `DecodeError`. */
export const decodeStrictly = (value: unknown, type: StructType): Decoded => {
  const faults: string[] = [];
  const object = decode(value ?? {}, type, faults);
  return { object, faults: limited(faults) };
};

// Whether `JSON.parse` dropped repeated names or may have rounded numbers.
const losesSomething = ({ survey, members }: ParsedJson): boolean =>
  survey.hasOddNumbers || survey.members !== members;

/** Decodes a JSON text. Only a text of which `JSON.parse` lost information is read again. Throws `DecodeError`. */
export const decodeJson = (parsed: ParsedJson, type: StructType): Decoded => {
  if (!losesSomething(parsed)) return decodeStrictly(parsed.value, type);
  const { value, faults } = readGoJson(parsed.text, type);
  return { object: decode(value ?? {}, type), faults: limited(faults) };
};

/**
 * Returns `duplicate field "spec.unschedulable"` for each known name that is repeated in a text, such as a merge patch.
 */
export const duplicateFields = (parsed: ParsedJson, type: StructType): readonly string[] =>
  losesSomething(parsed)
    ? limited(readGoJson(parsed.text, type).faults.filter((fault) => fault.startsWith('duplicate')))
    : [];
