/**
 * Rules for pod templates in workloads and in PodTemplates. Source: core validation v1.34 `ValidatePodTemplateSpec`.
 */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { forbiddenField } from '../../kube/errors/field-error.ts';
import type { PodTemplate, PodTemplateSpec } from '../../kube/types/workloads.ts';
import { validateLabels } from '../fields/metadata.ts';
import { validatePodSpec } from './pod-spec.ts';

/** Rules for a template after defaulting. `at` is its path, such as `spec.template`. */
export const validatePodTemplateSpec = (template: PodTemplateSpec, at: string): readonly FieldError[] => [
  ...validateLabels(template.metadata?.labels, `${at}.labels`),
  ...validatePodSpec(template.spec ?? {}).map((fault) => ({ ...fault, field: `${at}.${fault.field}` })),
  ...(template.spec?.['ephemeralContainers'] === undefined
    ? []
    : [forbiddenField(`${at}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template')]),
];

export const validatePodTemplate = ({ template = {} }: PodTemplate): readonly FieldError[] =>
  validatePodTemplateSpec(template, 'template');
