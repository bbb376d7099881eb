/** The change log of a stored resource as a source of events. */
import type { ApiObject } from '../../kube/types/meta.ts';
import type { LogEntry } from '../../ports/store/change-log.ts';
import type { CommitDeps } from '../../store/commit/commit-protocol.ts';
import { applyDiff } from '../../store/commit/object-diff.ts';
import { createRevisions } from '../../store/commit/revisions.ts';
import { createLogReader } from '../../store/log/log-reader.ts';
import { HOLE_AGE_MS } from '../../store/log/slot-resolver.ts';
import type { WatchChange } from '../changes/change.ts';
import { textOf } from '../changes/lines.ts';
import type { Source } from '../changes/source.ts';

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
