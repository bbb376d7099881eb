/** Reads YAML documents by a description of their fields. Errors name file, line, field and accepted values. */
import type { Document, Node } from 'yaml';
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { parseDuration } from '../../shared/settings/duration.ts';

/** An error in a scenario. Its message names file, line, field and accepted values. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
}

/** A place in a document. */
export interface Cursor {
  readonly node: Node | null;
  /** The offset that errors point at if the value is missing. */
  readonly offset: number;
  /** Names of the fields that lead here, such as `faults[0].at`. */
  readonly path: string;
  /** `file:line` of an offset. */
  readonly lineOf: (offset: number) => string;
}

/** Describes a field: the accepted values as text, and how the value is read. With a `fallback` it may be left out. */
export interface Field<T> {
  readonly accepts: string;
  readonly read: (at: Cursor) => T;
  readonly fallback?: { readonly value: T };
}

const offsetOf = ({ node, offset }: Cursor): number => node?.range?.[0] ?? offset;

const fail = (at: Cursor, problem: string): never => {
  throw new ScenarioError(`${at.lineOf(offsetOf(at))}: ${at.path || 'the scenario'}: ${problem}`);
};

const shown = (node: Node | null): string => {
  const text = JSON.stringify(node?.toJSON() ?? null);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
};

/** Throws a `ScenarioError` for a value that is not accepted. */
export const refuse = (at: Cursor, accepts: string): never =>
  fail(at, `${shown(at.node)} is refused; accepted is ${accepts}`);

/** A single value. `parse` returns `undefined` for values that are not accepted. */
export const scalarField = <T>(accepts: string, parse: (value: unknown) => T | undefined): Field<T> => ({
  accepts,
  read: (at) => {
    const value = isScalar(at.node) ? parse(at.node.value) : undefined;
    return value === undefined ? refuse(at, accepts) : value;
  },
});

/** The same field, but `value` is used if it is missing. */
export const optional = <T, const F>(field: Field<T>, value: F): Field<T | F> => ({
  ...field,
  fallback: { value },
});

const milliseconds = (value: unknown): number | undefined => {
  const [, amount] = typeof value === 'string' ? (/^(\d+)ms$/.exec(value) ?? []) : [];
  if (amount !== undefined) return Number(amount);
  const seconds = parseDuration(value);
  return seconds === undefined ? undefined : seconds * 1000;
};

/** A duration; its value is in ms. */
export const durationField: Field<number> = scalarField(
  'a duration such as 500ms, 40s, 5m or 1h30m',
  milliseconds,
);

/** A number for which `isValid` is true. */
export const numberField = (accepts: string, isValid: (value: number) => boolean): Field<number> =>
  scalarField(accepts, (value) => (typeof value === 'number' && isValid(value) ? value : undefined));

export const wholeNumberField = (least: number): Field<number> =>
  numberField(`a whole number of at least ${least}`, (value) => Number.isInteger(value) && value >= least);

export const shareField: Field<number> = numberField(
  'a share from 0 to 1',
  (value) => value >= 0 && value <= 1,
);

export const textField: Field<string> = scalarField('a text', (value) =>
  typeof value === 'string' && value !== '' ? value : undefined,
);

/** One of these words. */
export const choiceField = <const T extends string>(...choices: readonly T[]): Field<T> =>
  scalarField(choices.join(', '), (value) => choices.find((choice) => choice === value));

/** A list whose entries are read by `field`. */
export const listField = <T>(field: Field<T>): Field<readonly T[]> => ({
  accepts: `a list, each entry ${field.accepts}`,
  read: (at) => {
    const { node } = at;
    if (!isSeq(node)) return refuse(at, `a list, each entry ${field.accepts}`);
    return node.items.map((item, index) =>
      field.read({ ...at, node: isNode(item) ? item : null, path: `${at.path}[${index}]` }),
    );
  },
});

/** A list, read by `list`, or a single value, read by `single`. */
export const eitherField = <A, B>(list: Field<A>, single: Field<B>): Field<A | B> => ({
  accepts: `${single.accepts}, or ${list.accepts}`,
  read: (at) => (isSeq(at.node) ? list.read(at) : single.read(at)),
});

interface Entry {
  readonly name: string;
  readonly key: Cursor;
  readonly value: Cursor;
}

/** The entries of a map. Throws a `ScenarioError` that says `accepts` if there is no map. */
export const entriesOf = (at: Cursor, accepts: string): readonly Entry[] => {
  const { node } = at;
  if (!isMap(node)) return refuse(at, accepts);
  return node.items.map(({ key, value }) => {
    const name = String(isScalar(key) ? key.value : key);
    const path = at.path === '' ? name : `${at.path}.${name}`;
    const place = { ...at, path, node: isNode(key) ? key : null };
    return {
      name,
      key: place,
      value: { ...place, offset: offsetOf(place), node: isNode(value) ? value : null },
    };
  });
};

type Shape = Readonly<Record<string, Field<unknown>>>;
type Read<S extends Shape> = { readonly [Name in keyof S]: S[Name] extends Field<infer T> ? T : never };

const missing = (at: Cursor, name: string, { accepts }: Field<unknown>): never =>
  fail(at, `"${name}" is missing; give ${accepts}`);

/** A map with these fields and no others. */
export const objectField = <S extends Shape>(shape: S): Field<Read<S>> => {
  const accepts = `a map of ${Object.keys(shape).join(', ')}`;
  return {
    accepts,
    read: (at) => {
      const entries = entriesOf(at, accepts);
      const stray = entries.find(({ name }) => !Object.hasOwn(shape, name));
      if (stray) return fail(stray.key, `unknown field; accepted are ${Object.keys(shape).join(', ')}`);
      const values = Object.entries(shape).map(([name, field]) => {
        const entry = entries.find((one) => one.name === name);
        if (entry) return [name, field.read(entry.value)];
        return [name, field.fallback ? field.fallback.value : missing(at, name, field)];
      });
      return Object.fromEntries(values) as Read<S>;
    },
  };
};

type Tagged<S extends Shape> = {
  readonly [Kind in keyof S]: {
    readonly kind: Kind;
    /** `file:line`, for errors that are found after reading. */
    readonly where: string;
  } & (S[Kind] extends Field<infer T> ? T : never);
}[keyof S];

/** A map with one entry whose name is the kind, such as `silence: { … }`. */
export const taggedField = <S extends Shape>(kinds: S): Field<Tagged<S>> => {
  const accepts = `one of ${Object.keys(kinds).join(', ')}, with its fields`;
  return {
    accepts,
    read: (at) => {
      const entries = entriesOf(at, accepts);
      const [entry] = entries;
      const field = entry && Object.hasOwn(kinds, entry.name) ? kinds[entry.name] : undefined;
      if (!entry || !field || entries.length !== 1) return refuse(at, accepts);
      const where = at.lineOf(offsetOf(entry.key));
      return { kind: entry.name, where, ...(field.read(entry.value) as object) } as Tagged<S>;
    },
  };
};

const failOnSyntax = ({ errors }: Document, file: string): void => {
  const [error] = errors;
  if (!error) return;
  const line = error.linePos?.[0].line ?? 1;
  throw new ScenarioError(`${file}:${line}: not valid YAML: ${error.message.split('\n')[0]}`);
};

/** Reads a document. Throws a `ScenarioError` for the first error. */
export const readYaml = <T>(source: string, file: string, field: Field<T>): T => {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: true });
  failOnSyntax(document, file);
  const lineOf = (offset: number): string => `${file}:${lines.linePos(offset).line}`;
  return field.read({ node: document.contents, offset: 0, path: '', lineOf });
};
