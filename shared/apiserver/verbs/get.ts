import type { ApiObject } from '../../api/meta.ts';
import { notFound } from '../../api/status-error.ts';
import type { Handle } from '../call.ts';
import { subjectOf } from '../call.ts';
import type { ApiServerDeps } from '../deps.ts';
import { readOverlay } from '../heartbeat-times.ts';
import { ok } from '../http.ts';
import { readVersion } from '../list-options.ts';
import { checkNodeToken } from '../node-restriction.ts';
import type { Strategy } from '../strategy.ts';
import { nodeNameOf } from '../user.ts';
import { keyOf } from './create.ts';

/** GET of one object, always as of now. Throws 404, and 400 for a resourceVersion that is no number. */
export const getVerb =
  <T extends ApiObject>(_strategy: Strategy<T>): Handle<ApiServerDeps> =>
  async (call, deps) => {
    const { resource, name } = call.info;
    readVersion(call.request.query.get('resourceVersion') ?? '');
    const [row, overlay] = await Promise.all([deps.log.read(keyOf(call)), readOverlay(resource, name, deps)]);
    if (row?.state !== 'live') throw notFound(subjectOf(call));
    if (resource === 'nodes' && nodeNameOf(call.user) === name) checkNodeToken(call.user, row.object);
    return ok(overlay(row.object));
  };
