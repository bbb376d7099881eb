/** The change log of a stored resource as a source of events. */
import type { ApiObject } from '../../api/meta.ts';
import type { LogEntry } from '../../ports/change-log.ts';
import type { CommitDeps } from '../../state/commit-protocol.ts';
import { createLogReader } from '../../state/log-reader.ts';
import { applyDiff } from '../../state/object-diff.ts';
import { createRevisions } from '../../state/revisions.ts';
import { HOLE_AGE_MS } from '../../state/slot-resolver.ts';
import type { WatchChange } from './change.ts';
import type { Source } from './source.ts';

/** Milliseconds between two looks at a quiet log where nobody says that there is news. */
const POLL_MS = 500;
/** Milliseconds between two looks at a hole. */
const HOLE_POLL_MS = HOLE_AGE_MS / 8;

const withVersionOf = (object: ApiObject, { metadata }: ApiObject): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: metadata.resourceVersion ?? '' },
});

/** An entry as a change; what was before is computed once for all watchers, and only if one of them asks. */
export const changeOf = ({ revision, type, object, before }: LogEntry): WatchChange => {
  let previous: ApiObject | undefined;
  return {
    position: revision,
    type,
    object,
    previous: () => {
      if (before === null) return undefined;
      previous ??= withVersionOf(applyDiff(object, before), object);
      return previous;
    },
  };
};

/** Positions are revisions. */
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
