/** The paths of a resource, and the verbs that each takes. */

import { apiVersionOf } from '../../kinds/contract/strategy.ts';
import type { Verb } from '../contract/request-info.ts';
import type { Resource, Verbs } from '../contract/resource.ts';

/** Group, version and kind. */
export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A path and the verbs that it takes. */
export interface ServedPath {
  readonly path: string;
  readonly kind: Kind;
  readonly verbs: readonly Verb[];
  /** The part of the operations' names that is common to the path, such as `CoreV1NamespacedPodStatus`. */
  readonly title: string;
  readonly namespaced: boolean;
  readonly named: boolean;
}

const ON_COLLECTION: readonly Verb[] = ['list', 'create', 'deletecollection'];
const ON_OBJECT: readonly Verb[] = ['get', 'update', 'patch', 'delete'];

const capital = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;

const titleOf = ({ group, version }: Kind, rest: string): string => {
  const first = group === '' ? 'core' : (group.split('.')[0] ?? '');
  return `${capital(first)}${capital(version)}${rest}`;
};

const rootOf = (resource: Resource): string =>
  `${resource.group === '' ? '/api' : '/apis'}/${apiVersionOf(resource)}`;

const offered = (verbs: Verbs, among: readonly Verb[]): readonly Verb[] =>
  among.filter((verb) => verbs[verb]);

/** All paths of a resource that take at least one verb. */
export const pathsOf = (resource: Resource): readonly ServedPath[] => {
  const { group, version, kind, namespaced, verbs } = resource;
  const own = { group, version, kind };
  const within = namespaced ? 'Namespaced' : '';
  const collection = `${rootOf(resource)}${namespaced ? '/namespaces/{namespace}' : ''}/${resource.resource}`;
  const at = (path: string, taken: readonly Verb[], rest: Partial<ServedPath>): ServedPath => ({
    path,
    verbs: taken,
    kind: own,
    title: titleOf(own, `${within}${kind}`),
    namespaced,
    named: true,
    ...rest,
  });
  const everywhere = at(`${rootOf(resource)}/${resource.resource}`, offered(verbs, ['list']), {
    title: titleOf(own, `${kind}ForAllNamespaces`),
    namespaced: false,
    named: false,
  });
  const subresources = Object.entries(resource.subresources).map(([name, served]) => {
    const { group: servedGroup = group, version: servedVersion = version } = served as Partial<Kind>;
    return at(`${collection}/{name}/${name}`, offered(served.verbs, ['get', 'create', 'update', 'patch']), {
      kind: { group: servedGroup, version: servedVersion, kind: served.kind },
      title: titleOf(own, `${within}${kind}${capital(name)}`),
    });
  });
  return [
    ...(namespaced ? [everywhere] : []),
    at(collection, offered(verbs, ON_COLLECTION), { named: false }),
    at(`${collection}/{name}`, offered(verbs, ON_OBJECT), {}),
    ...subresources,
  ].filter((one) => one.verbs.length > 0);
};
