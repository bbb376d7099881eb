/**
 * Descriptions of protobuf messages as values, from which the TypeScript types follow. Only the kinds of fields that the CRI uses exist.
 * Source: Protocol Buffers encoding, proto3.
 */

/** How the value of a field is written. */
export type Kind =
  | 'text'
  | 'bytes'
  | 'bool'
  | 'integer'
  | 'double'
  | 'enum'
  | 'message'
  | 'textMap'
  | 'integers';

/** `Read` is what decoding gives, `Written` what encoding takes; both exist for the compiler only. */
export interface Field<Read, Written = Read> {
  readonly number: number;
  readonly kind: Kind;
  readonly isList: boolean;
  /** Of a message. */
  readonly of?: Description;
  /** Of an enumeration: the names in the order of their numbers. */
  readonly names?: readonly string[];
  readonly read?: Read;
  readonly written?: Written;
}

export interface Description {
  readonly [name: string]: Field<unknown>;
}

type ReadOf<F> = F extends Field<infer Read, unknown> ? Read : never;
type WrittenOf<F> = F extends { readonly written?: infer Written } ? Written : never;

/** A message that was decoded: a field that was not sent has the default of its kind; a message that was not sent is `undefined`. */
export type Message<D> = { readonly [K in keyof D]: ReadOf<D[K]> };
/** A message to send. Absent: the default of the kind, which is not sent. */
export type Draft<D> = { readonly [K in keyof D]?: Exclude<WrittenOf<D[K]>, undefined> };

const scalar =
  <T>(kind: Kind) =>
  (number: number): Field<T> => ({ number, kind, isList: false });

export const text = scalar<string>('text');
export const bytes = scalar<Uint8Array>('bytes');
export const bool = scalar<boolean>('bool');
/** Of 32 or 64 bits, signed; numbers beyond ±2^53 are rounded. */
export const integer = scalar<number>('integer');
export const double = scalar<number>('double');
/** `repeated` numbers, which are packed. */
export const integers = scalar<readonly number[]>('integers');
/** `map<string, string>`. */
export const textMap = scalar<Readonly<Record<string, string>>>('textMap');

/** An enumeration by its names. A number without a name is read as `undefined`. */
export const oneOf = <const N extends string>(
  number: number,
  names: readonly N[],
): Field<N | undefined, N> => ({ number, kind: 'enum', isList: false, names });

export const message = <D extends Description>(
  number: number,
  of: D,
): Field<Message<D> | undefined, Draft<D>> => ({ number, kind: 'message', isList: false, of });

/** `repeated` messages. */
export const messages = <D extends Description>(
  number: number,
  of: D,
): Field<readonly Message<D>[], readonly Draft<D>[]> => ({ number, kind: 'message', isList: true, of });

/** `repeated` texts. */
export const texts = (number: number): Field<readonly string[]> => ({ number, kind: 'text', isList: true });

/** A number that can be absent: `Int64Value`, `UInt64Value`. */
export const NumberValue = { value: integer(1) };
