/** The labels under which a request is counted. Anybody can send any path, so each label is one of a fixed set. */

import type { RequestHead } from '../../shared/apiserver/http.ts';
import { RESOURCE_VERBS, requestInfoOf } from '../../shared/apiserver/request/request-info.ts';
import { RESOURCES } from '../../shared/apiserver/resources/resources.ts';

export interface RequestLabels {
  /** Kubernetes' verb of a resource, the method of another path; `other` for methods that nothing here takes. */
  readonly verb: string;
  /** `''` for a path that names none, `other` for one that is not served. */
  readonly resource: string;
  readonly subresource: string;
}

const OTHER = 'other';
const VERBS = new Set<string>([
  ...RESOURCE_VERBS,
  'get',
  'head',
  'post',
  'put',
  'patch',
  'delete',
  'options',
]);

const SUBRESOURCES = new Map<string, ReadonlySet<string>>();
for (const { resource, subresources } of RESOURCES)
  SUBRESOURCES.set(
    resource,
    new Set(['', ...(SUBRESOURCES.get(resource) ?? []), ...Object.keys(subresources)]),
  );

const verbLabel = (verb: string): string => (VERBS.has(verb) ? verb : OTHER);

export const requestLabelsOf = (request: Pick<RequestHead, 'method' | 'path' | 'query'>): RequestLabels => {
  const info = requestInfoOf(request);
  const verb = verbLabel(info.verb);
  if (info.kind === 'path') return { verb, resource: '', subresource: '' };
  const served = SUBRESOURCES.get(info.resource);
  if (!served) return { verb, resource: OTHER, subresource: '' };
  return {
    verb,
    resource: info.resource,
    subresource: served.has(info.subresource) ? info.subresource : OTHER,
  };
};
