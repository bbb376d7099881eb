/** The kinds whose objects the garbage collector looks at, and where the owner of a reference is stored. */
import type { OwnerReference } from '../../kube/types/meta.ts';

/** Where an object is stored: the parts of an `ObjectKey`. */
export interface OwnerPlace {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** A kind whose objects are in namespaces. */
export interface NamespacedKind {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

interface StoredKind extends NamespacedKind {
  readonly namespaced: boolean;
}

const kinds = (
  apiVersion: string,
  namespaced: boolean,
  resources: Readonly<Record<string, string>>,
): readonly (readonly [string, StoredKind])[] => {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  return Object.entries(resources).map(([kind, resource]) => [
    `${apiVersion}/${kind}`,
    { group, version, resource, namespaced },
  ]);
};

/**
 * By `<apiVersion>/<kind>`. Events are left out, as in Kubernetes; Leases, because they are no rows of the object store. A unit
 * test compares the list with the resources that the API serves.
 */
const STORED_KINDS: ReadonlyMap<string, StoredKind> = new Map([
  ...kinds('v1', false, { Namespace: 'namespaces', Node: 'nodes', PersistentVolume: 'persistentvolumes' }),
  ...kinds('v1', true, {
    ConfigMap: 'configmaps',
    Endpoints: 'endpoints',
    LimitRange: 'limitranges',
    PersistentVolumeClaim: 'persistentvolumeclaims',
    Pod: 'pods',
    PodTemplate: 'podtemplates',
    ReplicationController: 'replicationcontrollers',
    ResourceQuota: 'resourcequotas',
    Secret: 'secrets',
    Service: 'services',
    ServiceAccount: 'serviceaccounts',
  }),
  ...kinds('apps/v1', true, {
    ControllerRevision: 'controllerrevisions',
    DaemonSet: 'daemonsets',
    Deployment: 'deployments',
    ReplicaSet: 'replicasets',
    StatefulSet: 'statefulsets',
  }),
  ...kinds('batch/v1', true, { CronJob: 'cronjobs', Job: 'jobs' }),
  ...kinds('discovery.k8s.io/v1', true, { EndpointSlice: 'endpointslices' }),
  ...kinds('networking.k8s.io/v1', false, { IngressClass: 'ingressclasses' }),
  ...kinds('networking.k8s.io/v1', true, { Ingress: 'ingresses', NetworkPolicy: 'networkpolicies' }),
  ...kinds('node.k8s.io/v1', false, { RuntimeClass: 'runtimeclasses' }),
  ...kinds('policy/v1', true, { PodDisruptionBudget: 'poddisruptionbudgets' }),
  ...kinds('resource.k8s.io/v1', false, { DeviceClass: 'deviceclasses', ResourceSlice: 'resourceslices' }),
  ...kinds('resource.k8s.io/v1', true, { ResourceClaim: 'resourceclaims' }),
  ...kinds('rollcall.dev/v1', false, {
    Hold: 'holds',
    NodeLifecyclePolicy: 'nodelifecyclepolicies',
    NodeMaintenance: 'nodemaintenances',
  }),
  ...kinds('scheduling.k8s.io/v1', false, { PriorityClass: 'priorityclasses' }),
  ...kinds('storage.k8s.io/v1', false, {
    CSIDriver: 'csidrivers',
    CSINode: 'csinodes',
    StorageClass: 'storageclasses',
    VolumeAttachment: 'volumeattachments',
  }),
  ...kinds('storage.k8s.io/v1', true, { CSIStorageCapacity: 'csistoragecapacities' }),
]);

/** The plurals of all stored kinds, in a fixed order. */
export const STORED_RESOURCES: readonly string[] = [...STORED_KINDS.values()]
  .map(({ resource }) => resource)
  .toSorted();

/** The kinds of all objects that go with their namespace, in a fixed order; Leases are none. */
export const NAMESPACED_KINDS: readonly NamespacedKind[] = [
  ...[...STORED_KINDS.values()]
    .filter(({ namespaced }) => namespaced)
    .map(({ group, version, resource }) => ({ group, version, resource })),
  { group: '', version: 'v1', resource: 'events' },
];

type NamedOwner = Pick<OwnerReference, 'apiVersion' | 'kind' | 'name'>;

const kindOf = ({ apiVersion, kind }: NamedOwner): StoredKind | undefined =>
  STORED_KINDS.get(`${apiVersion}/${kind}`);

/** Whether the owner's kind is stored and has a namespace. */
export const isNamespacedOwner = (owner: NamedOwner): boolean => kindOf(owner)?.namespaced === true;

/**
 * Where the owner of a dependent in `namespace` (`''`: cluster-scoped) would be stored. `undefined`: nobody can say, because the kind is
 * not stored, or because the owner has a namespace and the dependent has none.
 */
export const placeOfOwner = (owner: NamedOwner, namespace: string): OwnerPlace | undefined => {
  const kind = kindOf(owner);
  if (!kind || (kind.namespaced && namespace === '')) return undefined;
  return { resource: kind.resource, namespace: kind.namespaced ? namespace : '', name: owner.name };
};
