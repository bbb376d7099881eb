/** Metric labels of a request. Their values come from fixed sets, because clients can send any path. */

import { RESOURCE_VERBS, type RequestInfo } from '../../shared/apiserver/contract/request-info.ts';
import { RESOURCES } from '../../shared/apiserver/resources/resources.ts';

export interface RequestLabels {
  /** Kubernetes' verb for a resource, the lower-case method for other paths; `other` for unknown methods. */
  readonly verb: string;
  /** `''` for a path without a resource, `other` for a resource that is not served. */
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

export const requestLabelsOf = (info: RequestInfo): RequestLabels => {
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
