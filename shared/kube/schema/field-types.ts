/** The schema of a kind's wire form. It serves type errors, unknown fields, empty values and patches. */
import type { ListSemantics } from './list-semantics.ts';

/** `bytes` is base64, `raw` is any JSON. */
export type Scalar =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'double'
  | 'time'
  | 'microTime'
  | 'quantity'
  | 'intOrString'
  | 'bytes'
  | 'raw';

/** `keep` means that an empty value is meaningful and stays. */
export interface ScalarType {
  readonly type: Scalar;
  readonly keep?: boolean;
}

/** A list of elements of one type. `keep`: an empty list is meaningful and stays. */
export interface ListType extends ListSemantics {
  readonly keep?: boolean;
  readonly type: 'list';
  readonly of: FieldType;
}

/** `atomic` means that apply treats the map as one field with one owner. */
export interface MapType {
  readonly type: 'map';
  readonly of: FieldType;
  readonly atomic?: boolean;
}

/** A struct of Go with named fields. */
export interface StructType {
  readonly type: 'struct';
  /** Name of the Go type, such as `NodeSpec`. */
  readonly name: string;
  /** Go's package of the type; absent: `v1`. */
  readonly package?: string;
  /** Name of the protobuf message, such as `core.v1.NodeSpec`. */
  readonly message: string;
  readonly fields: Readonly<Record<string, FieldType>>;
  readonly atomic?: boolean;
  /** Fields that are never absent: an unset time is `null`, an unset struct `{}`. */
  readonly always?: readonly string[];
}

/** The type of a field in the wire form of a kind. */
export type FieldType = ScalarType | ListType | MapType | StructType;
