/** Builds the commit of a planned change: the new row and its log entries. */
import type { ApiObject } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { LogEntry } from '../../ports/store/change-log.ts';
import type { Commit } from '../../ports/store/commit.ts';
import type { Facts, LiveRow, ObjectKey, Revision, Row } from '../../ports/store/rows.ts';
import { liveRow } from '../../ports/store/rows.ts';
import { diffObjects } from './object-diff.ts';

/** A change that has no revision yet. */
export interface Planned {
  readonly object: ApiObject;
  readonly next: Commit['next'];
  readonly facts: Facts;
  /** The commit logs `object` as MODIFIED before it logs its deletion, and so takes two revisions. */
  readonly isSeenBefore?: boolean;
}

/** The object with this revision as its `metadata.resourceVersion`. */
export const stamped = (object: ApiObject, revision: Revision): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(revision) },
});

const entryType = (row: LiveRow | undefined, next: Planned['next']): 'ADDED' | 'MODIFIED' | 'DELETED' => {
  if (next === 'marker') return 'DELETED';
  return row ? 'MODIFIED' : 'ADDED';
};

/** The row for which a change was planned. */
export interface Found {
  readonly stored: Row | undefined;
  /** The row as `Decide` sees it: `undefined` if `stored` has expired. The write still replaces `stored`. */
  readonly row: Row | undefined;
}

const expiryOf = (next: Planned['next']): { readonly expiresAt?: EpochMs } =>
  next === 'marker' || next.expiresAt === undefined ? {} : { expiresAt: next.expiresAt };

/** The revision of a commit, the id of the attempt that took it, and when (ms, our clock). */
export interface Numbered {
  readonly revision: Revision;
  readonly attempt: string;
  readonly at: EpochMs;
}

/** The entry of an object's last state, in the slot just below the slot of its deletion. */
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

/** Builds the commit of a change. Its entries have consecutive revisions; `numbered` has the highest of them. */
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
