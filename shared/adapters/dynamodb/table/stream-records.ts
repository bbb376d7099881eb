/** Reads the records of the stream of the table `objects`. Lambda passes them as JSON, with bytes in base64. */
import { optional } from '../../../kube/values/optional.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import type { ObjectKey, Row } from '../../../ports/store/rows.ts';
import { fromObjectItem } from './items.ts';
import type { Item } from './packing.ts';

/** An attribute value. It has exactly one of these members. */
export interface StreamAttribute {
  readonly S?: string;
  readonly N?: string;
  readonly B?: string;
  readonly BOOL?: boolean;
  readonly NULL?: boolean;
  readonly L?: readonly StreamAttribute[];
  readonly M?: StreamImage;
}

/** A row before or after a change, by attribute name. */
export type StreamImage = Readonly<Record<string, StreamAttribute>>;

/** A record as Lambda passes it. */
export interface ObjectStreamRecord {
  readonly eventID?: string;
  readonly eventName?: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly dynamodb?: {
    readonly OldImage?: StreamImage;
    readonly NewImage?: StreamImage;
    readonly SequenceNumber?: string;
    /** Seconds since 1970. */
    readonly ApproximateCreationDateTime?: number;
  };
}

/** One committed change of a row. `before` is absent for a new row, `after` for one that DynamoDB removed after it expired. */
export interface RowChange {
  readonly key: ObjectKey;
  readonly before?: Row;
  readonly after?: Row;
  /** When the stream got it, by DynamoDB's clock; AWS gives whole seconds. */
  readonly at?: EpochMs;
}

const toValue = (attribute: StreamAttribute): unknown => {
  if (attribute.S !== undefined) return attribute.S;
  if (attribute.N !== undefined) return Number(attribute.N);
  if (attribute.B !== undefined) return Buffer.from(attribute.B, 'base64');
  if (attribute.BOOL !== undefined) return attribute.BOOL;
  if (attribute.L !== undefined) return attribute.L.map(toValue);
  if (attribute.M !== undefined) return toItem(attribute.M);
  if (attribute.NULL !== undefined) return null;
  throw new Error(
    `a stream record has an attribute of an unexpected type: ${Object.keys(attribute).join(', ')}`,
  );
};

const toItem = (image: StreamImage): Item =>
  Object.fromEntries(Object.entries(image).map(([name, attribute]) => [name, toValue(attribute)]));

const rowOf = (image: StreamImage | undefined): Row | undefined => image && fromObjectItem(toItem(image));

/** Reads a record. Throws if it has no image, or one that is not a row of the table. */
export const toRowChange = ({ dynamodb }: ObjectStreamRecord): RowChange => {
  const before = rowOf(dynamodb?.OldImage);
  const after = rowOf(dynamodb?.NewImage);
  const key = (after ?? before)?.key;
  if (!key) throw new Error('a stream record has no image');
  const seconds = dynamodb?.ApproximateCreationDateTime;
  return {
    key,
    ...optional('before', before),
    ...optional('after', after),
    ...optional('at', seconds === undefined ? undefined : seconds * 1000),
  };
};
