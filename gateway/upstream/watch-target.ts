/** The target of a watch in canonical form, so that watches of the same target can be shared. */
import type { HttpRequest } from '../../shared/apiserver/contract/http.ts';
import type { ResourceRequest } from '../../shared/apiserver/contract/request-info.ts';
import { RESOURCES } from '../../shared/apiserver/resources/resources.ts';
import type { ServedKind } from '../../shared/kinds/contract/strategy.ts';

/** What a watch selects. */
export interface WatchTarget {
  /** Path of the collection. */
  readonly path: string;
  /** `labelSelector` and `fieldSelector`, in this order, without empty ones. */
  readonly selectors: URLSearchParams;
}

/** The kind of a request's resource, if this gateway knows it. */
export const kindOf = ({ group, version, resource, subresource }: ResourceRequest): ServedKind | undefined =>
  subresource === ''
    ? RESOURCES.find((row) => row.group === group && row.version === version && row.resource === resource)
    : undefined;

// Requests for a namespace count as ones within it.
const isWithin = ({ namespace }: ResourceRequest, { namespaced }: ServedKind): boolean =>
  namespaced && namespace !== '';

const collectionOf = (info: ResourceRequest, kind: ServedKind): string => {
  const { group, version, resource, namespace } = info;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const within = isWithin(info, kind) ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${within}/${resource}`;
};

/** The field selector with the name in the path, such as `/api/v1/watch/nodes/n1`, as `metadata.name`. */
const fieldSelectorOf = (query: URLSearchParams, { name }: ResourceRequest): string => {
  const given = query.get('fieldSelector') ?? '';
  const terms = given.split(',');
  if (name === '' || terms.some((term) => /^metadata\.name==?(.*)$/.exec(term)?.[1] === name)) return given;
  return [...(given === '' ? [] : [given]), `metadata.name=${name}`].join(',');
};

/** The target of a watch request. */
export const targetOf = (
  { query }: Pick<HttpRequest, 'query'>,
  info: ResourceRequest,
  kind: ServedKind,
): WatchTarget => {
  const selectors = Object.entries({
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: fieldSelectorOf(query, info),
  });
  return {
    path: collectionOf(info, kind),
    selectors: new URLSearchParams(selectors.filter(([, value]) => value !== '')),
  };
};
