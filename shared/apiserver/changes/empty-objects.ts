/** Members of an object that has only metadata, such as that of a bookmark. */

import type { ServedKind } from '../../kinds/contract/strategy.ts';
import { EMPTY_EVENT, EMPTY_EVENTS_V1 } from '../../kube/defaults/event.ts';

const NODE_INFO = [
  'machineID',
  'systemUUID',
  'bootID',
  'kernelVersion',
  'osImage',
  'containerRuntimeVersion',
  'kubeletVersion',
  'kubeProxyVersion',
  'operatingSystem',
  'architecture',
];

const POD_TEMPLATE = { metadata: {}, spec: { containers: null } };

/** Empty members that Go prints. Source: kubernetes v1.34 `types.go` of the groups, fields without `omitempty`. */
const EMPTY: Readonly<Record<string, object>> = {
  Node: {
    spec: {},
    status: {
      daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
      nodeInfo: Object.fromEntries(NODE_INFO.map((name) => [name, ''])),
    },
  },
  Pod: { spec: { containers: null }, status: {} },
  Event: EMPTY_EVENT,
  'events.k8s.io/Event': EMPTY_EVENTS_V1,
  Namespace: { spec: {}, status: {} },
  Service: { spec: {}, status: { loadBalancer: {} } },
  Lease: { spec: {} },
  PodDisruptionBudget: {
    spec: {},
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  },
  PriorityClass: { value: 0 },
  Ingress: { spec: {}, status: { loadBalancer: {} } },
  IngressClass: { spec: {} },
  NetworkPolicy: { spec: { podSelector: {} } },
  RuntimeClass: { handler: '' },
  CSINode: { spec: { drivers: null } },
  CSIDriver: { spec: {} },
  VolumeAttachment: { spec: { attacher: '', source: {}, nodeName: '' }, status: { attached: false } },
  DaemonSet: {
    spec: { selector: null, template: POD_TEMPLATE, updateStrategy: {} },
    status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
  },
  ReplicaSet: { spec: { selector: null, template: POD_TEMPLATE }, status: { replicas: 0 } },
  StatefulSet: {
    spec: { selector: null, template: POD_TEMPLATE, serviceName: '', updateStrategy: {} },
    status: { replicas: 0, availableReplicas: 0 },
  },
  ReplicationController: { spec: {}, status: { replicas: 0 } },
  PersistentVolume: { spec: {}, status: {} },
  PersistentVolumeClaim: { spec: { resources: {} }, status: {} },
  PodTemplate: { template: POD_TEMPLATE },
  LimitRange: { spec: { limits: null } },
  ResourceQuota: { spec: {}, status: {} },
  ControllerRevision: { revision: 0 },
  Job: { spec: { template: POD_TEMPLATE }, status: {} },
  CronJob: {
    spec: { schedule: '', jobTemplate: { metadata: {}, spec: { template: POD_TEMPLATE } } },
    status: {},
  },
  EndpointSlice: { addressType: '', endpoints: null, ports: null },
  StorageClass: { provisioner: '' },
  CSIStorageCapacity: { storageClassName: '' },
  ResourceClaim: { spec: { devices: {} }, status: {} },
  ResourceSlice: { spec: { driver: '', pool: { name: '', generation: 0, resourceSliceCount: 0 } } },
  DeviceClass: { spec: {} },
  Deployment: { spec: { selector: null, template: POD_TEMPLATE, strategy: {} }, status: {} },
};

/** The members besides kind and metadata of an empty object; none for kinds that print none. */
export const emptyMembers = ({ group, kind }: Pick<ServedKind, 'group' | 'kind'>): object =>
  EMPTY[`${group}/${kind}`] ?? EMPTY[kind] ?? {};
