/** Rules of apps/v1. Source: kubernetes v1.34 `pkg/apis/apps/validation`. */

import { defaultStatefulSet } from '../../kube/defaults/workload.ts';
import type { FieldError } from '../../kube/errors/field-error.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../../kube/errors/field-error.ts';
import { deepEqual } from '../../kube/json/deep-equal.ts';
import { isEmptySelector, selects } from '../../kube/selector/object-selector.ts';
import type { PodSpec } from '../../kube/types/core.ts';
import type { PersistentVolumeClaim } from '../../kube/types/storage.ts';
import type { Workload, WorkloadSpec } from '../../kube/types/workloads.ts';
import { dnsLabelFaults } from '../../kube/values/names.ts';
import { validateLabels } from '../fields/metadata.ts';
import { noneNegative } from '../fields/not-negative.ts';
import { validateSelector } from '../fields/object-selector.ts';
import { validatePod } from '../pods/validate-pod.ts';
import { validateVolumeClaim } from '../storage/validate-claim.ts';
import { validateDaemonSet, validateDeployment, validateStatefulSet } from './validate-update-strategies.ts';

const NUMBERS = ['replicas', 'minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds'] as const;

const validateNumbers = (spec: WorkloadSpec): readonly FieldError[] => noneNegative(spec, NUMBERS, 'spec');

const validateOwnSelector = ({ selector }: WorkloadSpec, kind: string): readonly FieldError[] => {
  if (!selector) return [required('spec.selector')];
  return [
    ...validateSelector(selector, 'spec.selector'),
    ...(isEmptySelector(selector)
      ? [invalidValue('spec.selector', selector, `empty selector is invalid for ${kind}`)]
      : []),
  ];
};

const podFaults = (spec: PodSpec): readonly FieldError[] =>
  validatePod({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'template', namespace: 'default' },
    spec,
  }).map((fault) => ({ ...fault, field: `spec.template.${fault.field}` }));

const validateLabelsMatch = ({ selector, template }: WorkloadSpec): readonly FieldError[] => {
  const labels = template?.metadata?.labels ?? {};
  return selector && !selects(selector, labels)
    ? [invalidValue('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')]
    : [];
};

interface Named {
  readonly name?: string;
}

/** The pod of a template with the volumes that a StatefulSet adds for its claims: containers may mount them. */
const withClaimVolumes = ({ template, ...spec }: WorkloadSpec): PodSpec => {
  const pod = template?.spec ?? {};
  const volumes = (pod['volumes'] ?? []) as readonly Named[];
  const claims = (spec['volumeClaimTemplates'] ?? []) as readonly { readonly metadata?: Named }[];
  const names = claims.flatMap(({ metadata }) => metadata?.name ?? []);
  const known = new Set(volumes.map(({ name }) => name));
  const missing = names.filter((name) => !known.has(name));
  const added = missing.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  return added.length === 0 ? pod : { ...pod, volumes: [...volumes, ...added] };
};

const DEADLINE = 'spec.template.spec.activeDeadlineSeconds';

/** `owner` is the kind that makes the pods. */
const validateTemplate = (spec: WorkloadSpec, owner: string): readonly FieldError[] => {
  const pod = spec.template?.spec ?? {};
  return [
    ...validateLabelsMatch(spec),
    ...validateLabels(spec.template?.metadata?.labels, 'spec.template.labels'),
    ...podFaults(withClaimVolumes(spec)),
    ...(pod['restartPolicy'] === 'Always'
      ? []
      : [notSupported('spec.template.spec.restartPolicy', pod['restartPolicy'], ['Always'])]),
    ...(pod['activeDeadlineSeconds'] === undefined
      ? []
      : [forbiddenField(DEADLINE, `activeDeadlineSeconds in ${owner} is not Supported`)]),
  ];
};

/** The words for the kinds in messages; a ReplicaSet is called a Deployment. */
const RULES = {
  Deployment: { word: 'deployment', rules: validateDeployment },
  ReplicaSet: { word: 'deployment', rules: (): readonly FieldError[] => [] },
  DaemonSet: { word: 'daemonset', rules: validateDaemonSet },
  StatefulSet: { word: 'statefulset', rules: validateStatefulSet },
} as const;

export type WorkloadKind = keyof typeof RULES;

/** Rules of all workloads, and those of `kind`. */
export const validateWorkload =
  (kind: WorkloadKind) =>
  ({ spec = {} }: Workload): readonly FieldError[] => [
    ...validateNumbers(spec),
    ...validateOwnSelector(spec, RULES[kind].word),
    ...validateTemplate(spec, kind === 'Deployment' ? 'ReplicaSet' : kind),
    ...RULES[kind].rules(spec),
  ];

/** The selector of a workload is immutable. */
export const validateSelectorUpdate = (after: Workload, before: Workload): readonly FieldError[] =>
  deepEqual(after.spec?.selector, before.spec?.selector)
    ? []
    : [invalidValue('spec.selector', after.spec?.selector ?? null, 'field is immutable')];

/** What is immutable afterwards: the name of the Service, and the templates of claims. */
export const validateNewStatefulSet = ({ spec = {} }: Workload): readonly FieldError[] => {
  const { serviceName = '', volumeClaimTemplates: claims = [] } = spec as {
    readonly serviceName?: string;
    readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[];
  };
  const faults = serviceName === '' ? [] : dnsLabelFaults(serviceName);
  return [
    ...faults.map((fault) => invalidValue('spec.serviceName', serviceName, fault)),
    ...claims.flatMap((claim, index) =>
      validateVolumeClaim(claim).map((fault) => ({
        ...fault,
        field: `spec.volumeClaimTemplates[${index}].${fault.field}`,
      })),
    ),
  ];
};

const MUTABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const;

const fixedPart = (spec: WorkloadSpec): object =>
  Object.fromEntries(Object.entries(spec).filter(([name]) => !(MUTABLE as readonly string[]).includes(name)));

const quoted = MUTABLE.map((name) => `'${name}'`);
const FIXED = `updates to statefulset spec for fields other than ${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)} are forbidden`;

/** `before` may have been stored without a default that is new since. */
export const validateStatefulSetUpdate = (after: Workload, before: Workload): readonly FieldError[] =>
  deepEqual(fixedPart(after.spec ?? {}), fixedPart(defaultStatefulSet(before).spec ?? {}))
    ? []
    : [forbiddenField('spec', FIXED)];
