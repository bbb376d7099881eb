/** Builds the fields of a configuration file: the type on the wire, and the value that a missing field has. */

import { setMember } from '../../../shared/kube/json/own-member.ts';
import type { FieldType, ScalarType, StructType } from '../../../shared/kube/schema/field-types.ts';
import { DecodeError } from '../../../shared/kube/schema/go-types.ts';
import { parseGoDuration } from '../../../shared/kube/text/go-duration.ts';

/** A duration, in nanoseconds. */
export type Nanoseconds = bigint;

export interface Field<T> {
  readonly schema: FieldType;
  /** `given`: the decoded value, or `undefined`. `raw`: as it stands in the document, where `null` and `[]` are not the same as nothing. */
  readonly read: (given: unknown, raw: unknown) => T;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type Values<F> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

const scalar = (type: ScalarType['type']): ScalarType => ({ type, keep: true });

/** A number that may be 0: only a missing one is replaced. */
export const count = <T extends number | undefined>(fallback: T): Field<number | T> => ({
  schema: scalar('int32'),
  read: (given) => (given as number | undefined) ?? fallback,
});

/** A number for which 0 means the same as nothing. */
export const size = (fallback = 0, type: 'int32' | 'int64' = 'int32'): Field<number> => ({
  schema: scalar(type),
  read: (given) => (given as number | undefined) || fallback,
});

export const longCount = <T extends number | undefined>(fallback: T): Field<number | T> => ({
  schema: scalar('int64'),
  read: (given) => (given as number | undefined) ?? fallback,
});

export const fraction = (fallback: number): Field<number> => ({
  schema: scalar('double'),
  read: (given) => (given as number | undefined) ?? fallback,
});

export const flag = <T extends boolean | undefined>(fallback: T): Field<boolean | T> => ({
  schema: scalar('bool'),
  read: (given) => (given as boolean | undefined) ?? fallback,
});

/** A text for which the empty one means the same as nothing. */
export const text = (fallback = ''): Field<string> => ({
  schema: scalar('string'),
  read: (given) => (given as string | undefined) || fallback,
});

/** A text that may be empty. */
export const anyText = (fallback: string): Field<string> => ({
  schema: scalar('string'),
  read: (given) => (given as string | undefined) ?? fallback,
});

/** A value that the agent does not look into. */
export const anything = (): Field<unknown> => ({ schema: scalar('raw'), read: (given) => given });

/** A time of the API; a quantity. */
export const apiText = (type: 'time' | 'quantity'): Field<string | undefined> => ({
  schema: scalar(type),
  read: (given) => given as string | undefined,
});

const nanoseconds = (given: string): Nanoseconds => {
  const parsed = parseGoDuration(given);
  if (typeof parsed === 'object') throw new DecodeError(parsed.error);
  return parsed;
};

/** A duration for which 0 means the same as nothing. `null` is not a duration. */
export const duration = (fallback = '0s'): Field<Nanoseconds> => ({
  schema: scalar('string'),
  read: (given, raw) => {
    const parsed =
      given === undefined && raw !== null ? 0n : nanoseconds((given as string | undefined) ?? '');
    return parsed === 0n ? nanoseconds(fallback) : parsed;
  },
});

/** A duration that may be 0, or missing. */
export const optionalDuration = (fallback?: string): Field<Nanoseconds | undefined> => ({
  schema: scalar('string'),
  read: (given) => {
    const chosen = (given as string | undefined) ?? fallback;
    return chosen === undefined ? undefined : nanoseconds(chosen);
  },
});

/** A list; `undefined` if there is none. */
export const list = <T>(of: Field<T>): Field<readonly T[] | undefined> => ({
  schema: { type: 'list', of: of.schema },
  read: (given, raw) => {
    if (!Array.isArray(raw)) return undefined;
    return ((given as readonly unknown[] | undefined) ?? []).map((one, index) => of.read(one, raw[index]));
  },
});

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Members by name; `undefined` if there is no map. */
export const map = <T>(of: Field<T>): Field<Readonly<Record<string, T>> | undefined> => ({
  schema: { type: 'map', of: of.schema },
  read: (given, raw) => {
    if (!isRecord(raw)) return undefined;
    const members: Record<string, T> = {};
    for (const [key, value] of Object.entries((given as object | undefined) ?? {}))
      setMember(members, key, of.read(value, raw[key]));
    return members;
  },
});

/** Adds the field's name to the place of an error. */
const within = <T>(field: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new DecodeError(error.message, error.path === undefined ? field : `${field}.${error.path}`);
  }
};

/** `name`: the name of the type in Kubernetes, which messages repeat with its Go package. */
export const struct = <F extends Fields>(
  name: string,
  fields: F,
  goPackage = 'v1beta1',
): Field<Values<F>> & { schema: StructType } => ({
  schema: {
    type: 'struct',
    name,
    package: goPackage,
    message: name,
    fields: Object.fromEntries(Object.entries(fields).map(([field, { schema }]) => [field, schema])),
  },
  read: (given, raw) => {
    const [values, document] = [isRecord(given) ? given : {}, isRecord(raw) ? raw : {}];
    const entries = Object.entries(fields).map(([field, { read }]) => [
      field,
      within(field, () => read(values[field], document[field])),
    ]);
    return Object.fromEntries(entries) as Values<F>;
  },
});
