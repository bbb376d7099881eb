/** Conversion between rows of `node:sqlite` and the types of the ports. */
import type { ApiObject } from '../../../kube/types/meta.ts';
import type { LogEntry, Slot } from '../../../ports/store/change-log.ts';
import type { Facts, LiveRow, ObjectKey, Revision, Row } from '../../../ports/store/rows.ts';
import { type Packed, unpack } from './packing.ts';

/** The columns of an object. A marker has no body. */
export interface RowColumns {
  readonly uid: string;
  readonly revision: Revision;
  readonly body: Packed | null;
  readonly facts: string | null;
  /** Absent in the rows of the feed. */
  readonly expires_at?: number | null;
}

/** The columns of a slot. A tombstone has no type. */
export interface SlotColumns {
  readonly revision: Revision;
  readonly attempt: string;
  readonly at: number;
  readonly type: LogEntry['type'] | null;
  readonly path: string | null;
  readonly body: Packed | null;
  readonly before: Packed | null;
  readonly object_expires_at: number | null;
}

const expiryOf = (expiresAt: number | null | undefined): { readonly expiresAt?: number } =>
  typeof expiresAt === 'number' ? { expiresAt } : {};

/** The path of an object within its resource, `namespace/name`, by which lists are sorted. */
export const pathOf = ({ namespace, name }: Pick<ObjectKey, 'namespace' | 'name'>): string =>
  `${namespace}/${name}`;

/** The inverse of `pathOf`. */
export const keyOf = (resource: string, path: string): ObjectKey => {
  const slash = path.indexOf('/');
  return { resource, namespace: path.slice(0, slash), name: path.slice(slash + 1) };
};

const NO_FACTS: Facts = {};

/** Parses the column `facts`. */
export const factsOf = (facts: string | null): Facts =>
  facts === null ? NO_FACTS : (JSON.parse(facts) as Facts);

/** Converts the columns of an object to a row. */
export const toRow = (key: ObjectKey, { uid, revision, body, facts, expires_at: at }: RowColumns): Row =>
  body === null
    ? { state: 'marker', key, uid, revision }
    : { state: 'live', key, uid, revision, object: unpack(body), facts: factsOf(facts), ...expiryOf(at) };

/** Whether a row has an object. */
export const isLive = (row: Row): row is LiveRow => row.state === 'live';

/** Converts the columns of a slot. `object`: what its body says, if that is known. */
export const toSlot = (resource: string, columns: SlotColumns, object?: ApiObject): Slot => {
  const { revision, attempt, at, type, path, body, before } = columns;
  if (type === null || path === null || body === null) return { slot: 'tombstone', revision, attempt, at };
  return {
    slot: 'entry',
    revision,
    type,
    key: keyOf(resource, path),
    object: object ?? unpack(body),
    before: before === null ? null : unpack(before),
    attempt,
    at,
    ...expiryOf(columns.object_expires_at),
  };
};
