/** Discovery documents, all derived from the table of resources. */

import { apiVersionOf } from '../../kinds/contract/strategy.ts';
import { byText } from '../../kube/text/compare-text.ts';
import { optional } from '../../kube/values/optional.ts';
import type { HttpRequest } from '../contract/http.ts';
import { RESOURCE_VERBS } from '../contract/request-info.ts';
import type { Resource, Subresource, Verbs } from '../contract/resource.ts';

/** Version of the Kubernetes API that is served. */
const VERSION = {
  major: '1',
  minor: '34',
  emulationMajor: '1',
  emulationMinor: '34',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '33',
  gitVersion: 'v1.34.4+rollcall',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'serverless',
} as const;

/** Groups in Kubernetes' order, which is that of their priorities; other groups follow by name. */
const GROUP_ORDER: readonly string[] = [
  '',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'discovery.k8s.io',
  'resource.k8s.io',
];

const rankOf = (group: string): number => {
  const rank = GROUP_ORDER.indexOf(group);
  return rank === -1 ? GROUP_ORDER.length : rank;
};

/** Groups that have resources, `''` first, in the order in which they are listed. */
export const groupNames = (resources: readonly Resource[]): readonly string[] =>
  [...new Set(resources.map(({ group }) => group))].toSorted((a, b) => rankOf(a) - rankOf(b) || byText(a, b));

/** Versions of a group, the preferred one first. */
export const versionsOf = (resources: readonly Resource[], group: string): readonly string[] => [
  ...new Set(resources.filter((one) => one.group === group).map(({ version }) => version)),
];

/** The resources of a group version, sorted by name. */
export const resourcesOf = (
  resources: readonly Resource[],
  group: string,
  version: string,
): readonly Resource[] =>
  resources
    .filter((one) => one.group === group && one.version === version)
    .toSorted((a, b) => byText(a.resource, b.resource));

/** The subresources of a resource with their names, sorted by name. */
export const subresourcesOf = ({ subresources }: Resource): readonly (readonly [string, Subresource])[] =>
  Object.entries(subresources).toSorted(([a], [b]) => byText(a, b));

/** The verbs of a resource, sorted by name. */
export const verbNames = (verbs: Verbs): readonly string[] =>
  RESOURCE_VERBS.filter((verb) => verbs[verb]).toSorted(byText);

const subresourceEntry = (
  { resource, namespaced }: Resource,
  [name, { group, version, kind, verbs }]: readonly [string, Subresource],
): object => ({
  name: `${resource}/${name}`,
  singularName: '',
  namespaced,
  ...optional('group', group),
  ...optional('version', version),
  kind,
  verbs: verbNames(verbs),
});

const resourceEntries = (resource: Resource): readonly object[] => {
  const { resource: name, singular: singularName, namespaced, kind, shortNames, categories } = resource;
  const verbs = verbNames(resource.verbs);
  const subresources = subresourcesOf(resource).map((one) => subresourceEntry(resource, one));
  if (verbs.length === 0) return subresources;
  const names = { ...(shortNames ? { shortNames } : {}), ...(categories ? { categories } : {}) };
  return [{ name, singularName, namespaced, kind, verbs, ...names }, ...subresources];
};

const resourceList = (resources: readonly Resource[], group: string, version: string): object | undefined => {
  const served = resourcesOf(resources, group, version);
  if (served.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionOf({ group, version }),
    resources: served.flatMap(resourceEntries),
  };
};

const groupOf = (resources: readonly Resource[], name: string) => {
  const versions = versionsOf(resources, name).map((version) => ({
    groupVersion: `${name}/${version}`,
    version,
  }));
  return { name, versions, preferredVersion: versions[0] };
};

const apiVersions = ({ headers }: HttpRequest): object => ({
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: headers['host'] ?? '' }],
});

const groupList = (resources: readonly Resource[]): object => {
  const groups = groupNames(resources).filter((name) => name !== '');
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map((name) => groupOf(resources, name)) };
};

const groupDocument = (resources: readonly Resource[], name: string): object | undefined =>
  groupNames(resources).includes(name)
    ? { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(resources, name) }
    : undefined;

/** The document at a discovery path or at `/version`; `undefined` for other paths. */
export const discoveryDocument = (
  request: HttpRequest,
  resources: readonly Resource[],
): object | undefined => {
  const [root, first, second, third] = request.path.split('/').filter((part) => part !== '');
  if (root === 'version' && first === undefined) return VERSION;
  if (root === 'api' && second === undefined)
    return first === undefined ? apiVersions(request) : resourceList(resources, '', first);
  if (root !== 'apis' || third !== undefined) return undefined;
  if (first === undefined) return groupList(resources);
  return second === undefined ? groupDocument(resources, first) : resourceList(resources, first, second);
};
