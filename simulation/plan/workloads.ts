/** The API objects of simulated workloads. */

import {
  defaultDaemonSet,
  defaultDeployment,
  defaultStatefulSet,
} from '../../shared/kube/defaults/workload.ts';
import type { Toleration } from '../../shared/kube/types/core.ts';
import type { PersistentVolume } from '../../shared/kube/types/storage.ts';
import { TAINT_NOT_READY, TAINT_UNREACHABLE } from '../../shared/kube/types/well-known.ts';
import type { Workload } from '../../shared/kube/types/workloads.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import { toTime } from '../../shared/kube/values/time.ts';
import { EBS_DRIVER } from '../../shared/rules/attachments/attacher.ts';
import type { PlannedToleration, PlannedWorkload } from './plan.ts';

/** The tolerations of not-ready and unreachable. */
export const tolerationsOf = (toleration: PlannedToleration | undefined): readonly Toleration[] =>
  toleration === 'none' || toleration === undefined
    ? []
    : [TAINT_NOT_READY, TAINT_UNREACHABLE].map((key) => ({
        key,
        operator: 'Exists',
        effect: 'NoExecute',
        ...(toleration === 'forever' ? {} : { tolerationSeconds: toleration }),
      }));

const RESOURCES = {
  ReplicaSet: 'replicasets',
  Deployment: 'deployments',
  DaemonSet: 'daemonsets',
  StatefulSet: 'statefulsets',
} as const;

const withoutDefaults = (object: Workload): Workload => object;

const DEFAULTS = {
  ReplicaSet: withoutDefaults,
  Deployment: defaultDeployment,
  DaemonSet: defaultDaemonSet,
  StatefulSet: defaultStatefulSet,
} as const;

/** The plural of the workload's kind. */
export const resourceOf = ({ kind = 'ReplicaSet' }: Pick<PlannedWorkload, 'kind'>): string => RESOURCES[kind];

/** The namespace of the workload. */
export const namespaceOf = ({ namespace = 'default' }: Pick<PlannedWorkload, 'namespace'>): string =>
  namespace;

const CLASS = '';
const STORAGE = '1Gi';
const claimTemplate = (name: string) => ({
  metadata: { name: `data-${name}` },
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: CLASS,
    resources: { requests: { storage: STORAGE } },
  },
});

/** Free volumes for the claims that a StatefulSet with volumes makes. */
export const storageOf = (planned: PlannedWorkload): readonly PersistentVolume[] => {
  if (planned.volumes !== true) return [];
  return Array.from({ length: planned.replicas }, (_, index) => {
    const name = `${planned.name}-${index}`;
    return {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: `pv-${name}`, uid: `volume-${name}` },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: STORAGE },
        storageClassName: CLASS,
        persistentVolumeReclaimPolicy: 'Retain',
        volumeMode: 'Filesystem',
        csi: { driver: EBS_DRIVER, volumeHandle: name },
      },
      status: { phase: 'Available' },
    };
  });
};

/** The workload as it is created at `at`. */
export const workloadOf = (planned: PlannedWorkload, at: EpochMs): Workload => {
  const { name, namespace = 'default', kind = 'ReplicaSet', replicas, toleration, cpu, memory } = planned;
  return DEFAULTS[kind]({
    apiVersion: 'apps/v1',
    kind,
    metadata: {
      name,
      namespace,
      uid: `${kind.toLowerCase()}-${name}`,
      generation: 1,
      creationTimestamp: toTime(at),
    },
    spec: {
      ...(kind === 'DaemonSet' ? {} : { replicas }),
      ...(planned.volumes === true ? { volumeClaimTemplates: [claimTemplate(name)] } : {}),
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          tolerations: tolerationsOf(toleration),
          containers: [{ name, image: 'registry.k8s.io/pause', resources: { requests: { cpu, memory } } }],
        },
      },
    },
  });
};

/** The workload with a template of another image, as a user changes it. */
export const rolledOut = (object: Workload, image: string): Workload => {
  const { metadata, spec } = object;
  const { containers = [], ...pod } = (spec?.template?.spec ?? {}) as {
    readonly containers?: readonly object[];
  };
  const template = {
    ...spec?.template,
    spec: { ...pod, containers: containers.map((container) => ({ ...container, image })) },
  };
  return {
    ...object,
    metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 },
    spec: { ...spec, template },
  };
};
