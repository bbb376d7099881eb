/** The change log of a stored resource as a source of events. */
import type { ApiObject } from '../../api/meta.ts';
import type { LogEntry } from '../../ports/change-log.ts';
import type { CommitDeps } from '../../state/commit-protocol.ts';
import { createLogReader } from '../../state/log-reader.ts';
import { applyDiff } from '../../state/object-diff.ts';
import { createRevisions } from '../../state/revisions.ts';
import { HOLE_AGE_MS } from '../../state/slot-resolver.ts';
import type { WatchChange } from './change.ts';
import { textOf } from './lines.ts';
import type { Source } from './source.ts';

/** Milliseconds between two reads of a log without new entries, unless a notification comes earlier. */
const POLL_MS = 500;
/** Milliseconds between two reads while the log has a gap: a revision that is assigned but not written yet. */
const HOLE_POLL_MS = HOLE_AGE_MS / 8;

const withVersionOf = (object: ApiObject, { metadata }: ApiObject): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: metadata.resourceVersion ?? '' },
});

/** An entry of the log as a change. The previous object is computed once for all watches, and only if one needs it. */
export const changeOf = ({ revision, type, object, before }: LogEntry): WatchChange => {
  let previous: ApiObject | undefined;
  return {
    position: revision,
    characters: textOf(object).length,
    type,
    object,
    previous: () => {
      if (before === null) return undefined;
      previous ??= withVersionOf(applyDiff(object, before), object);
      return previous;
    },
  };
};

/** The change log of a resource as a source. Positions are revisions. */
export const createLogSource = (deps: CommitDeps, resource: string): Source<WatchChange> => {
  const revisions = createRevisions(deps);
  return {
    head: async () => (await revisions.current(resource)).counter,
    follow: (after) => {
      const reader = createLogReader(deps, resource, after);
      return {
        poll: async () => (await reader.poll()).map(changeOf),
        position: reader.position,
        restMs: () => (reader.isWaiting() ? HOLE_POLL_MS : POLL_MS),
      };
    },
  };
};
