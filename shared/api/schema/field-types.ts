/** How the wire form of a kind is described: for type errors in Kubernetes' words, unknown fields, empty values and patches. */
import type { ListSemantics } from './list-semantics.ts';

/** `bytes`: base64. `raw`: any JSON. */
export type Scalar =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'time'
  | 'microTime'
  | 'quantity'
  | 'intOrString'
  | 'bytes'
  | 'raw';

/** `keep`: an empty value is meaningful and stays. */
export interface ScalarType {
  readonly type: Scalar;
  readonly keep?: boolean;
}

export interface ListType extends ListSemantics {
  readonly type: 'list';
  readonly of: FieldType;
}

/** `atomic`: apply owns it as a whole. */
export interface MapType {
  readonly type: 'map';
  readonly of: FieldType;
  readonly atomic?: boolean;
}

export interface StructType {
  readonly type: 'struct';
  /** Name of the Go type, such as `NodeSpec`. */
  readonly name: string;
  /** Name of the message, such as `core.v1.NodeSpec`. */
  readonly message: string;
  readonly fields: Readonly<Record<string, FieldType>>;
  readonly atomic?: boolean;
  /** Fields that are never absent: instants are `null` instead, structs `{}`. */
  readonly always?: readonly string[];
}

export type FieldType = ScalarType | ListType | MapType | StructType;
