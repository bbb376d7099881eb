import type { Workload, WorkloadSpec } from '../types/workloads.ts';
import { defaultPodTemplateSpec } from './pod-template.ts';

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  (typeof value === 'object' && value !== null ? value : {}) as Fields;

/** Fills in the defaults of the pod template and those that `specDefaults` adds. */
const defaultWorkload =
  (specDefaults: (spec: WorkloadSpec) => Fields) =>
  <T extends Workload>(object: T): T => {
    const spec = object.spec ?? {};
    const template = defaultPodTemplateSpec(spec.template ?? {});
    return { ...object, spec: { ...spec, template, ...specDefaults(spec) } };
  };

/** An update strategy of type RollingUpdate gets the default `numbers` of a rolling update. */
const rolling = (value: unknown, numbers: Fields): Fields => {
  const { type = 'RollingUpdate', ...given } = fieldsOf(value);
  if (type !== 'RollingUpdate') return { ...given, type };
  return { ...given, type, rollingUpdate: { ...numbers, ...fieldsOf(given['rollingUpdate']) } };
};

export const defaultDeployment = defaultWorkload((spec) => ({
  replicas: spec.replicas ?? 1,
  strategy: rolling(spec['strategy'], { maxUnavailable: '25%', maxSurge: '25%' }),
  revisionHistoryLimit: spec['revisionHistoryLimit'] ?? 10,
  progressDeadlineSeconds: spec['progressDeadlineSeconds'] ?? 600,
}));

export const defaultReplicaSet = defaultWorkload((spec) => ({ replicas: spec.replicas ?? 1 }));

export const defaultDaemonSet = defaultWorkload((spec) => ({
  updateStrategy: rolling(spec['updateStrategy'], { maxUnavailable: 1, maxSurge: 0 }),
  revisionHistoryLimit: spec['revisionHistoryLimit'] ?? 10,
}));

/** As in a stored StatefulSet: with the kind, and with the status of a claim that is not bound. */
const defaultClaimTemplate = (claim: Fields): Fields => ({
  ...claim,
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  spec: { resources: {}, volumeMode: 'Filesystem', ...fieldsOf(claim['spec']) },
  status: { phase: 'Pending', ...fieldsOf(claim['status']) },
});

const claimTemplates = ({ volumeClaimTemplates: claims }: WorkloadSpec): Fields =>
  Array.isArray(claims)
    ? { volumeClaimTemplates: claims.map((claim) => defaultClaimTemplate(fieldsOf(claim))) }
    : {};

export const defaultStatefulSet = defaultWorkload((spec) => ({
  ...claimTemplates(spec),
  replicas: spec.replicas ?? 1,
  serviceName: spec['serviceName'] ?? '',
  podManagementPolicy: spec['podManagementPolicy'] ?? 'OrderedReady',
  updateStrategy: rolling(spec['updateStrategy'], { partition: 0 }),
  revisionHistoryLimit: spec['revisionHistoryLimit'] ?? 10,
  persistentVolumeClaimRetentionPolicy: {
    whenDeleted: 'Retain',
    whenScaled: 'Retain',
    ...fieldsOf(spec['persistentVolumeClaimRetentionPolicy']),
  },
}));
