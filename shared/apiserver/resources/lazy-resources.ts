/** Resources whose rules are loaded with the first request for one of them, so that a cold start does not pay for them. */
import type { Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { Verb } from '../contract/request-info.ts';
import { RESOURCE_VERBS } from '../contract/request-info.ts';
import type { Resource, Subresource, Verbs } from '../contract/resource.ts';

const SUBRESOURCE_VERBS = ['get', 'patch', 'update'] as const;

const handleOf = async (
  { group, resource }: Pick<Resource, 'group' | 'resource'>,
  subresource: string,
  verb: Verb,
): Promise<Handle<ApiServerDeps>> => {
  const { LAZY_STORED } = await import('./lazy-stored.ts');
  const row = LAZY_STORED.find((one) => one.resource === resource && one.group === group);
  const handle = (subresource === '' ? row : row?.subresources[subresource])?.verbs[verb];
  if (!handle) throw new Error(`${resource}/${subresource} has no ${verb}`);
  return handle;
};

type LazyKind = Omit<Resource, 'singular' | 'verbs' | 'subresources'>;

const lazyVerbs = (kind: LazyKind, subresource: string, verbs: readonly Verb[]): Verbs =>
  Object.fromEntries(
    verbs.map((verb): [Verb, Handle<ApiServerDeps>] => [
      verb,
      async (call, deps) => (await handleOf(kind, subresource, verb))(call, deps),
    ]),
  );

const statusOf = (kind: LazyKind): Readonly<Record<string, Subresource>> => ({
  status: { kind: kind.kind, verbs: lazyVerbs(kind, 'status', SUBRESOURCE_VERBS) },
});

const scaleOf = (kind: LazyKind): Readonly<Record<string, Subresource>> => ({
  scale: {
    group: 'autoscaling',
    version: 'v1',
    kind: 'Scale',
    verbs: lazyVerbs(kind, 'scale', SUBRESOURCE_VERBS),
  },
});

type Parts = (kind: LazyKind) => Readonly<Record<string, Subresource>>;

const lazy = (kind: LazyKind, ...parts: readonly Parts[]): Resource => ({
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
): LazyKind => ({
  group,
  version: 'v1',
  kind,
  resource,
  namespaced: true,
  ...(shortNames.length > 0 ? { shortNames } : {}),
});

const clusterWide = (...names: Parameters<typeof namespaced>): LazyKind => ({
  ...namespaced(...names),
  namespaced: false,
});

const ALL = { categories: ['all'] } as const;

/** The rows of these resources, without their rules. */
export const LAZY_RESOURCES: readonly Resource[] = [
  lazy(namespaced('', 'ConfigMap', 'configmaps', 'cm')),
  lazy(namespaced('', 'Secret', 'secrets')),
  lazy(namespaced('', 'Endpoints', 'endpoints', 'ep')),
  lazy(namespaced('', 'LimitRange', 'limitranges', 'limits')),
  lazy(clusterWide('', 'PersistentVolume', 'persistentvolumes', 'pv'), statusOf),
  lazy(namespaced('', 'PersistentVolumeClaim', 'persistentvolumeclaims', 'pvc'), statusOf),
  lazy({ ...namespaced('', 'Service', 'services', 'svc'), ...ALL }, statusOf),
  lazy(namespaced('', 'PodTemplate', 'podtemplates')),
  lazy(
    { ...namespaced('', 'ReplicationController', 'replicationcontrollers', 'rc'), ...ALL },
    scaleOf,
    statusOf,
  ),
  lazy(namespaced('', 'ResourceQuota', 'resourcequotas', 'quota'), statusOf),
  lazy(namespaced('apps', 'ControllerRevision', 'controllerrevisions')),
  lazy({ ...namespaced('apps', 'DaemonSet', 'daemonsets', 'ds'), ...ALL }, statusOf),
  lazy({ ...namespaced('apps', 'Deployment', 'deployments', 'deploy'), ...ALL }, scaleOf, statusOf),
  lazy({ ...namespaced('apps', 'ReplicaSet', 'replicasets', 'rs'), ...ALL }, scaleOf, statusOf),
  lazy({ ...namespaced('apps', 'StatefulSet', 'statefulsets', 'sts'), ...ALL }, scaleOf, statusOf),
  lazy({ ...namespaced('batch', 'CronJob', 'cronjobs', 'cj'), ...ALL }, statusOf),
  lazy({ ...namespaced('batch', 'Job', 'jobs'), ...ALL }, statusOf),
  lazy(namespaced('discovery.k8s.io', 'EndpointSlice', 'endpointslices')),
  lazy(clusterWide('networking.k8s.io', 'IngressClass', 'ingressclasses')),
  lazy(namespaced('networking.k8s.io', 'Ingress', 'ingresses', 'ing'), statusOf),
  lazy(namespaced('networking.k8s.io', 'NetworkPolicy', 'networkpolicies', 'netpol')),
  lazy(clusterWide('node.k8s.io', 'RuntimeClass', 'runtimeclasses')),
  lazy(namespaced('policy', 'PodDisruptionBudget', 'poddisruptionbudgets', 'pdb'), statusOf),
  lazy(clusterWide('rollcall.dev', 'NodeMaintenance', 'nodemaintenances', 'nm'), statusOf),
  lazy(clusterWide('storage.k8s.io', 'CSIDriver', 'csidrivers')),
  lazy(clusterWide('storage.k8s.io', 'CSINode', 'csinodes')),
  lazy(clusterWide('storage.k8s.io', 'VolumeAttachment', 'volumeattachments'), statusOf),
  lazy(clusterWide('storage.k8s.io', 'StorageClass', 'storageclasses', 'sc')),
  lazy(namespaced('storage.k8s.io', 'CSIStorageCapacity', 'csistoragecapacities')),
  lazy(clusterWide('resource.k8s.io', 'DeviceClass', 'deviceclasses')),
  lazy(namespaced('resource.k8s.io', 'ResourceClaim', 'resourceclaims'), statusOf),
  lazy(clusterWide('resource.k8s.io', 'ResourceSlice', 'resourceslices')),
  lazy(clusterWide('rollcall.dev', 'NodeLifecyclePolicy', 'nodelifecyclepolicies', 'nlp'), statusOf),
  lazy(clusterWide('rollcall.dev', 'Hold', 'holds'), statusOf),
];
