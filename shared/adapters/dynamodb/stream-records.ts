/** Records of the objects table's stream, as Lambda hands them over: attribute values in JSON, bytes in base64. */
import type { ObjectKey, Row } from '../../ports/rows.ts';
import { fromObjectItem } from './items.ts';
import type { Item } from './packing.ts';

/** An attribute value has exactly one of these. */
export interface StreamAttribute {
  readonly S?: string;
  readonly N?: string;
  readonly B?: string;
  readonly BOOL?: boolean;
  readonly NULL?: boolean;
  readonly L?: readonly StreamAttribute[];
  readonly M?: StreamImage;
}

export type StreamImage = Readonly<Record<string, StreamAttribute>>;

export interface ObjectStreamRecord {
  readonly eventID?: string;
  readonly eventName?: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly dynamodb?: {
    readonly OldImage?: StreamImage;
    readonly NewImage?: StreamImage;
    readonly SequenceNumber?: string;
  };
}

/** One committed change of a row; `before` is absent for a new row, `after` for one that expired or was removed. */
export interface RowChange {
  readonly key: ObjectKey;
  readonly before?: Row;
  readonly after?: Row;
}

const toValue = (attribute: StreamAttribute): unknown => {
  if (attribute.S !== undefined) return attribute.S;
  if (attribute.N !== undefined) return Number(attribute.N);
  if (attribute.B !== undefined) return Buffer.from(attribute.B, 'base64');
  if (attribute.BOOL !== undefined) return attribute.BOOL;
  if (attribute.L !== undefined) return attribute.L.map(toValue);
  if (attribute.M !== undefined) return toItem(attribute.M);
  if (attribute.NULL !== undefined) return null;
  throw new Error(`an attribute of a kind that no row has: ${Object.keys(attribute).join(', ')}`);
};

const toItem = (image: StreamImage): Item =>
  Object.fromEntries(Object.entries(image).map(([name, attribute]) => [name, toValue(attribute)]));

const rowOf = (image: StreamImage | undefined): Row | undefined => image && fromObjectItem(toItem(image));

/** Throws for a record without images, or with one that is no row of the table. */
export const toRowChange = ({ dynamodb }: ObjectStreamRecord): RowChange => {
  const before = rowOf(dynamodb?.OldImage);
  const after = rowOf(dynamodb?.NewImage);
  const key = (after ?? before)?.key;
  if (!key) throw new Error('a stream record without an image');
  return { key, ...(before ? { before } : {}), ...(after ? { after } : {}) };
};
