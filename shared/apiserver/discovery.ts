/** The documents by which clients learn what is served. */
import type { HttpRequest } from './http.ts';
import { RESOURCE_VERBS } from './request-info.ts';
import type { Resource, Verbs } from './resources.ts';
import { apiVersionOf } from './strategy.ts';

/** Version of the Kubernetes API that is spoken. */
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

const verbNames = (verbs: Verbs): readonly string[] =>
  RESOURCE_VERBS.filter((verb) => verbs[verb]).sort((a, b) => (a < b ? -1 : 1));

const resourceEntries = (resource: Resource): readonly object[] => {
  const { resource: name, singular, namespaced, kind, verbs, shortNames, categories } = resource;
  const names = { ...(shortNames ? { shortNames } : {}), ...(categories ? { categories } : {}) };
  const own = verbNames(verbs);
  const subresources = Object.entries(resource.subresources).map(([subresource, served]) => ({
    name: `${name}/${subresource}`,
    singularName: '',
    namespaced,
    ...(served.group ? { group: served.group, version: served.version } : {}),
    kind: served.kind,
    verbs: verbNames(served.verbs),
  }));
  return own.length === 0
    ? subresources
    : [{ name, singularName: singular, namespaced, kind, verbs: own, ...names }, ...subresources];
};

const resourceList = (resources: readonly Resource[], groupVersion: string): object | undefined => {
  const served = resources.filter((resource) => apiVersionOf(resource) === groupVersion);
  if (served.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    ...(groupVersion.includes('/') ? { apiVersion: 'v1' } : {}),
    groupVersion,
    resources: served.flatMap(resourceEntries),
  };
};

const groupOf = (resources: readonly Resource[], name: string) => {
  const ofGroup = resources.filter(({ group }) => group === name);
  const versions = [...new Set(ofGroup.map(({ version }) => version))].map((version) => ({
    groupVersion: `${name}/${version}`,
    version,
  }));
  return { name, versions, preferredVersion: versions[0] };
};

const groupNames = (resources: readonly Resource[]): readonly string[] => [
  ...new Set(resources.map(({ group }) => group).filter((group) => group !== '')),
];

const apiVersions = ({ headers }: HttpRequest): object => ({
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: headers['host'] ?? '' }],
});

/** The document at a discovery path or at `/version`; `undefined` for other paths. */
export const discoveryDocument = (
  request: HttpRequest,
  resources: readonly Resource[],
): object | undefined => {
  const [root, ...parts] = request.path.split('/').filter((part) => part !== '');
  const [first, second, third] = parts;
  if (root === 'version' && first === undefined) return VERSION;
  if (root === 'api' && second === undefined)
    return first === undefined ? apiVersions(request) : resourceList(resources, first);
  if (root !== 'apis' || third !== undefined) return undefined;
  if (first === undefined) {
    const groups = groupNames(resources).map((name) => groupOf(resources, name));
    return { kind: 'APIGroupList', apiVersion: 'v1', groups };
  }
  if (second !== undefined) return resourceList(resources, `${first}/${second}`);
  return groupNames(resources).includes(first)
    ? { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(resources, first) }
    : undefined;
};
