/** Resources that are only stored, for clients that expect them: Rollcall does not act on them. */
import type { Handle } from '../call.ts';
import type { ApiServerDeps } from '../deps.ts';
import type { Verb } from '../request/request-info.ts';
import { RESOURCE_VERBS } from '../request/request-info.ts';
import type { Resource, Subresource, Verbs } from '../resource.ts';

const SUBRESOURCE_VERBS = ['get', 'patch', 'update'] as const;

/** Loads the rules of these kinds with the first request for one of them. */
const handleOf = async (
  { group, resource }: Pick<Resource, 'group' | 'resource'>,
  subresource: string,
  verb: Verb,
): Promise<Handle<ApiServerDeps>> => {
  const { PLAIN_STORED } = await import('./plain-stored.ts');
  const row = PLAIN_STORED.find((one) => one.resource === resource && one.group === group);
  const handle = (subresource === '' ? row : row?.subresources[subresource])?.verbs[verb];
  if (!handle) throw new Error(`${resource}/${subresource} has no ${verb}`);
  return handle;
};

type PlainKind = Omit<Resource, 'singular' | 'verbs' | 'subresources'>;

const lazyVerbs = (kind: PlainKind, subresource: string, verbs: readonly Verb[]): Verbs =>
  Object.fromEntries(
    verbs.map((verb): [Verb, Handle<ApiServerDeps>] => [
      verb,
      async (call, deps) => (await handleOf(kind, subresource, verb))(call, deps),
    ]),
  );

const statusOf = (kind: PlainKind): Readonly<Record<string, Subresource>> => ({
  status: { kind: kind.kind, verbs: lazyVerbs(kind, 'status', SUBRESOURCE_VERBS) },
});

const scaleOf = (kind: PlainKind): Readonly<Record<string, Subresource>> => ({
  scale: {
    group: 'autoscaling',
    version: 'v1',
    kind: 'Scale',
    verbs: lazyVerbs(kind, 'scale', SUBRESOURCE_VERBS),
  },
});

type Parts = (kind: PlainKind) => Readonly<Record<string, Subresource>>;

const plain = (kind: PlainKind, ...parts: readonly Parts[]): Resource => ({
  ...kind,
  singular: kind.kind.toLowerCase(),
  verbs: lazyVerbs(kind, '', RESOURCE_VERBS),
  subresources: Object.assign({}, ...parts.map((part) => part(kind))) as Resource['subresources'],
});

const namespaced = (
  group: string,
  kind: string,
  resource: string,
  ...shortNames: readonly string[]
): PlainKind => ({
  group,
  version: 'v1',
  kind,
  resource,
  namespaced: true,
  ...(shortNames.length > 0 ? { shortNames } : {}),
});

const clusterWide = (...names: Parameters<typeof namespaced>): PlainKind => ({
  ...namespaced(...names),
  namespaced: false,
});

const ALL = { categories: ['all'] } as const;

/** The resources that are only stored. */
export const PLAIN_RESOURCES: readonly Resource[] = [
  plain(namespaced('', 'Endpoints', 'endpoints', 'ep')),
  plain(namespaced('', 'LimitRange', 'limitranges', 'limits')),
  plain(clusterWide('', 'PersistentVolume', 'persistentvolumes', 'pv'), statusOf),
  plain(namespaced('', 'PersistentVolumeClaim', 'persistentvolumeclaims', 'pvc'), statusOf),
  plain(namespaced('', 'PodTemplate', 'podtemplates')),
  plain(
    { ...namespaced('', 'ReplicationController', 'replicationcontrollers', 'rc'), ...ALL },
    scaleOf,
    statusOf,
  ),
  plain(namespaced('', 'ResourceQuota', 'resourcequotas', 'quota'), statusOf),
  plain(namespaced('apps', 'ControllerRevision', 'controllerrevisions')),
  plain({ ...namespaced('batch', 'CronJob', 'cronjobs', 'cj'), ...ALL }, statusOf),
  plain({ ...namespaced('batch', 'Job', 'jobs'), ...ALL }, statusOf),
  plain(namespaced('discovery.k8s.io', 'EndpointSlice', 'endpointslices')),
  plain(clusterWide('storage.k8s.io', 'StorageClass', 'storageclasses', 'sc')),
  plain(namespaced('storage.k8s.io', 'CSIStorageCapacity', 'csistoragecapacities')),
  plain(clusterWide('resource.k8s.io', 'DeviceClass', 'deviceclasses')),
  plain(namespaced('resource.k8s.io', 'ResourceClaim', 'resourceclaims'), statusOf),
  plain(clusterWide('resource.k8s.io', 'ResourceSlice', 'resourceslices')),
];
