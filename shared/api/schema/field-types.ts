/** How the wire form of a kind is described: enough for type errors in Kubernetes' words and for dropping empty values. */

export type Scalar = 'string' | 'bool' | 'int32' | 'int64' | 'time' | 'microTime' | 'quantity';

/** `keep`: an empty value is meaningful (a Go pointer, or a field without `omitempty`) and stays. */
export interface ScalarType {
  readonly type: Scalar;
  readonly keep?: boolean;
}

export interface ListType {
  readonly type: 'list';
  readonly of: FieldType;
}

export interface MapType {
  readonly type: 'map';
  readonly of: FieldType;
}

/** Fields that are not named here travel through as they came. */
export interface StructType {
  readonly type: 'struct';
  readonly name: string;
  readonly fields: Readonly<Record<string, FieldType>>;
}

export type FieldType = ScalarType | ListType | MapType | StructType;

export const text: ScalarType = { type: 'string' };
export const keptText: ScalarType = { type: 'string', keep: true };
export const flag: ScalarType = { type: 'bool' };
export const keptFlag: ScalarType = { type: 'bool', keep: true };
export const int32: ScalarType = { type: 'int32' };
export const keptInt32: ScalarType = { type: 'int32', keep: true };
export const keptInt64: ScalarType = { type: 'int64', keep: true };
export const time: ScalarType = { type: 'time' };
export const microTime: ScalarType = { type: 'microTime' };
export const quantity: ScalarType = { type: 'quantity', keep: true };

export const list = (of: FieldType): ListType => ({ type: 'list', of });
export const map = (of: FieldType): MapType => ({ type: 'map', of });
export const struct = (name: string, fields: StructType['fields']): StructType => ({
  type: 'struct',
  name,
  fields,
});

export const textMap: MapType = map(keptText);
export const quantityMap: MapType = map(quantity);
