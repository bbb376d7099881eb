/** Conversion between rows of `node:sqlite` and the types of the ports. */
import type { LogEntry, Slot } from '../../ports/change-log.ts';
import type { Facts, ObjectKey, Revision, Row } from '../../ports/rows.ts';
import { type Packed, unpack } from './packing.ts';

/** An object's columns; a marker has no body. */
export interface RowColumns {
  readonly uid: string;
  readonly revision: Revision;
  readonly body: Packed | null;
  readonly facts: string | null;
  /** Not kept in the feed. */
  readonly expires_at?: number | null;
}

/** A slot's columns; a tombstone has no type. */
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

/** `namespace/name`, the order of lists. */
export const pathOf = ({ namespace, name }: Pick<ObjectKey, 'namespace' | 'name'>): string =>
  `${namespace}/${name}`;

export const keyOf = (resource: string, path: string): ObjectKey => {
  const slash = path.indexOf('/');
  return { resource, namespace: path.slice(0, slash), name: path.slice(slash + 1) };
};

const NO_FACTS: Facts = {};

export const factsOf = (facts: string | null): Facts =>
  facts === null ? NO_FACTS : (JSON.parse(facts) as Facts);

export const toRow = (key: ObjectKey, { uid, revision, body, facts, expires_at: at }: RowColumns): Row =>
  body === null
    ? { state: 'marker', key, uid, revision }
    : { state: 'live', key, uid, revision, object: unpack(body), facts: factsOf(facts), ...expiryOf(at) };

export const toSlot = (resource: string, columns: SlotColumns): Slot => {
  const { revision, attempt, at, type, path, body, before } = columns;
  if (type === null || path === null || body === null) return { slot: 'tombstone', revision, attempt, at };
  return {
    slot: 'entry',
    revision,
    type,
    key: keyOf(resource, path),
    object: unpack(body),
    before: before === null ? null : unpack(before),
    attempt,
    at,
    ...expiryOf(columns.object_expires_at),
  };
};
