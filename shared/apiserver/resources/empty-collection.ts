/** The reading verbs of a resource that is served and has no objects: clients that list it go on to watch it. */
import type { ServedKind } from '../../kinds/contract/strategy.ts';
import { notFound } from '../../kube/errors/status-error.ts';
import type { Handle } from '../contract/call.ts';
import { subjectOf } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { ok } from '../contract/http.ts';
import { readListOptions } from '../request/list-options.ts';
import { listOf } from '../verbs/list.ts';
import { answerWatch } from '../verbs/watch.ts';
import { watchedByScan } from '../watch/watched-by-scan.ts';

/** A verb of such a resource. */
export type EmptyVerb = 'get' | 'list' | 'watch';

/** Milliseconds between two scans, each of which finds nothing. */
const EVERY_MS = 60_000;

const NOTHING = new Map();

/** `get` rejects with 404. A watch sends bookmarks only, and ends like any other one. */
export const emptyVerbs = (kind: ServedKind): Readonly<Record<EmptyVerb, Handle<ApiServerDeps>>> => ({
  get: async (call) => {
    throw notFound(subjectOf(call));
  },
  list: async ({ request }, { clock }) => {
    readListOptions(request.query, kind, () => ({}));
    return ok(listOf(kind, { revision: clock.now(), objects: [] }));
  },
  watch: async (call, deps) => {
    const { clock, watches } = deps;
    const watched = watches.scanned(kind.resource, (onError) =>
      watchedByScan({ scan: async () => NOTHING, everyMs: EVERY_MS, lagMs: 0, clock, onError }),
    );
    return answerWatch(call, deps, { kind, fields: () => ({}), watched });
  },
});
