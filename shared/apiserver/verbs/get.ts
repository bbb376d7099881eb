import { checkNodeToken } from '../../kinds/admission/node-restriction.ts';
import type { Strategy } from '../../kinds/contract/strategy.ts';
import { nodeNameOf } from '../../kinds/contract/user.ts';
import { badRequest, notFound } from '../../kube/errors/status-error.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { Handle } from '../contract/call.ts';
import { subjectOf } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { HttpRequest } from '../contract/http.ts';
import { ok } from '../contract/http.ts';
import { isSet } from '../contract/request-info.ts';
import { checkNotOlder, readVersion } from '../request/list-options.ts';
import { keyOf } from './create.ts';
import { readOverlay } from './heartbeat-times.ts';

const checkExport = ({ query }: HttpRequest): void => {
  if (isSet(query, 'export'))
    throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
};

// The revision counter is read only if the object itself is older than the requested version.
const checkVersion = async (
  wanted: number,
  resource: string,
  found: number,
  { objects }: ApiServerDeps,
): Promise<void> => {
  if (wanted <= found) return;
  const counter = await objects.counter(resource);
  checkNotOlder(Math.max(found, counter?.counter ?? 0), wanted);
};

/**
 * GET of one object, always at its current state. Throws 404, 400 for invalid options, and 504 for a version in
 * the future.
 */
export const getVerb =
  <T extends ApiObject>(_strategy: Strategy<T>): Handle<ApiServerDeps> =>
  async (call, deps) => {
    const { resource, name } = call.info;
    checkExport(call.request);
    const wanted = readVersion(call.request.query.get('resourceVersion') ?? '');
    const [row, overlay] = await Promise.all([
      deps.objects.read(keyOf(call)),
      readOverlay(resource, name, deps),
    ]);
    await checkVersion(wanted, resource, row?.revision ?? 0, deps);
    if (row?.state !== 'live') throw notFound(subjectOf(call));
    if (resource === 'nodes' && nodeNameOf(call.user) === name) checkNodeToken(call.user, row.object);
    return ok(overlay(row.object));
  };
