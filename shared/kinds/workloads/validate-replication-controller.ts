/** Rules and defaults of ReplicationControllers. Source: core validation and defaults v1.34. */
import { defaultPodTemplateSpec } from '../../kube/defaults/pod-template.ts';
import type { FieldError } from '../../kube/errors/field-error.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../../kube/errors/field-error.ts';
import { selects } from '../../kube/selector/object-selector.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { PodTemplateSpec } from '../../kube/types/workloads.ts';
import { notNegative } from '../fields/not-negative.ts';
import { validatePodTemplateSpec } from '../pod-spec/pod-template.ts';

export interface ReplicationController extends ApiObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly selector?: Readonly<Record<string, string>>;
    readonly template?: PodTemplateSpec;
  };
  readonly status?: Readonly<Record<string, unknown>>;
}

const isEmpty = (labels: Readonly<Record<string, string>> = {}): boolean => Object.keys(labels).length === 0;

/** Fills in the defaults. A missing selector and missing labels are copied from the template's labels. */
export const defaultReplicationController = (object: ReplicationController): ReplicationController => {
  const { metadata, spec = {} } = object;
  const labels = spec.template?.metadata?.labels;
  return {
    ...object,
    metadata: { ...metadata, ...(labels && isEmpty(metadata.labels) ? { labels } : {}) },
    spec: {
      ...spec,
      replicas: spec.replicas ?? 1,
      ...(labels && isEmpty(spec.selector) ? { selector: labels } : {}),
      ...(spec.template ? { template: defaultPodTemplateSpec(spec.template) } : {}),
    },
  };
};

const validateTemplate = (
  template: PodTemplateSpec | undefined,
  selector: Readonly<Record<string, string>>,
): readonly FieldError[] => {
  const at = 'spec.template';
  if (!template) return [required(at)];
  const labels = template.metadata?.labels ?? {};
  const policy = template.spec?.['restartPolicy'];
  const deadline = 'activeDeadlineSeconds';
  return [
    ...(selects({ matchLabels: selector }, labels)
      ? []
      : [invalidValue(`${at}.metadata.labels`, labels, '`selector` does not match template `labels`')]),
    ...validatePodTemplateSpec(template, at),
    ...(policy === 'Always' ? [] : [notSupported(`${at}.spec.restartPolicy`, policy, ['Always'])]),
    ...(template.spec?.[deadline] === undefined
      ? []
      : [forbiddenField(`${at}.spec.${deadline}`, `${deadline} in ReplicationController is not Supported`)]),
  ];
};

export const validateReplicationController = ({
  spec = {},
}: ReplicationController): readonly FieldError[] => [
  ...notNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
  ...(isEmpty(spec.selector) ? [required('spec.selector')] : []),
  ...notNegative(spec.replicas, 'spec.replicas'),
  ...validateTemplate(spec.template, spec.selector ?? {}),
];

const COUNTS = [
  'replicas',
  'fullyLabeledReplicas',
  'readyReplicas',
  'availableReplicas',
  'observedGeneration',
] as const;
const PARTS = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const;

/** Rules for the counts in a written status. */
export const validateReplicationStatus = ({ status = {} }: ReplicationController): readonly FieldError[] => {
  const count = (part: string): number => Number(status[part] ?? 0);
  return [
    ...COUNTS.flatMap((part) => notNegative(count(part), `status.${part}`)),
    ...PARTS.filter((part) => count(part) > count('replicas')).map((part) =>
      invalidValue(`status.${part}`, count(part), 'cannot be greater than status.replicas'),
    ),
    ...(count('availableReplicas') > count('readyReplicas')
      ? [
          invalidValue(
            'status.availableReplicas',
            count('availableReplicas'),
            'cannot be greater than readyReplicas',
          ),
        ]
      : []),
  ];
};
