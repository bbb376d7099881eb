/** The commit of a planned change: the row that it leaves and the entries that it logs. */
import type { ApiObject } from '../api/meta.ts';
import type { EpochMs } from '../api/time.ts';
import type { LogEntry } from '../ports/change-log.ts';
import type { Commit } from '../ports/commit.ts';
import type { Facts, LiveRow, ObjectKey, Revision, Row } from '../ports/rows.ts';
import { liveRow } from '../ports/rows.ts';
import { diffObjects } from './object-diff.ts';

/** What is to be written, before it has a number. */
export interface Planned {
  readonly object: ApiObject;
  readonly next: Commit['next'];
  readonly facts: Facts;
  /** The commit logs `object` once as MODIFIED before it logs its deletion, and needs two numbers. */
  readonly isSeenBefore?: boolean;
}

/** The object with the version that this revision gives it. */
export const stamped = (object: ApiObject, revision: Revision): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(revision) },
});

const entryType = (row: LiveRow | undefined, next: Planned['next']): 'ADDED' | 'MODIFIED' | 'DELETED' => {
  if (next === 'marker') return 'DELETED';
  return row ? 'MODIFIED' : 'ADDED';
};

/** The row that a change was planned on. */
export interface Found {
  readonly stored: Row | undefined;
  /** What decisions see: a row that has expired is not there, although a write has to replace it. */
  readonly row: Row | undefined;
}

const expiryOf = (next: Planned['next']): { readonly expiresAt?: EpochMs } =>
  next === 'marker' || next.expiresAt === undefined ? {} : { expiresAt: next.expiresAt };

/** A commit's number, and who took it when. */
export interface Numbered {
  readonly revision: Revision;
  readonly attempt: string;
  readonly at: EpochMs;
}

/** The entry of an object's last state, in the slot below that of its deletion. */
const precedingEntry = (
  key: ObjectKey,
  { object, isSeenBefore }: Planned,
  before: LiveRow | undefined,
  deletion: Numbered,
): LogEntry | undefined => {
  if (!isSeenBefore || !before) return undefined;
  const numbered = { ...deletion, revision: deletion.revision - 1 };
  const written = stamped(object, numbered.revision);
  const diff = diffObjects(written, before.object);
  return { slot: 'entry', type: 'MODIFIED', key, object: written, before: diff, ...numbered };
};

/** The entries of one commit have consecutive numbers; `numbered` has the highest of them. */
export const commitOf = (
  key: ObjectKey,
  { stored, row: seen }: Found,
  planned: Planned,
  numbered: Numbered,
): Commit => {
  const { object, next } = planned;
  const written = stamped(object, numbered.revision);
  const row = liveRow(seen);
  const preceding = precedingEntry(key, planned, row, numbered);
  const was = preceding?.object ?? row?.object;
  const before = was ? diffObjects(written, was) : null;
  return {
    key,
    revision: numbered.revision,
    expected: liveRow(stored)?.revision,
    uid: object.metadata.uid ?? '',
    next: next === 'marker' ? 'marker' : { ...next, object: written },
    entry: {
      slot: 'entry',
      type: entryType(row, next),
      key,
      object: written,
      before,
      ...numbered,
      ...expiryOf(next),
    },
    ...(preceding ? { preceding } : {}),
  };
};
