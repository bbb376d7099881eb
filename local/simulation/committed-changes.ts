import type { Change } from '../../lambdas/change-router/reconcile.ts';
import type { Commit, ObjectLog, Row } from '../../shared/ports/object-log.ts';

const rowOf = ({ key, uid, revision, next }: Commit): Row =>
  next === 'marker'
    ? { state: 'marker', key, uid, revision }
    : { state: 'live', key, uid: next.uid, revision, object: next.object, facts: next.facts };

/** The log, and each change that it commits: what a table's stream would tell. */
export const withStream = (log: ObjectLog, onChange: (change: Change) => void): ObjectLog => ({
  ...log,
  commit: async (commit) => {
    const before = await log.read(commit.key);
    const result = await log.commit(commit);
    if (result.outcome === 'committed' && before?.revision !== commit.revision)
      onChange({ ...(before ? { before } : {}), after: rowOf(commit) });
    return result;
  },
});
