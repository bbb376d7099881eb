/** Rules for a container's environment. Source: core validation v1.34 `ValidateEnv`, `ValidateEnvFrom`. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidValue, required } from '../../kube/errors/field-error.ts';

export interface EnvVar {
  readonly name?: string;
  readonly value?: string;
  readonly valueFrom?: object;
}

const NAME_RULE =
  "a valid environment variable name must consist only of printable ASCII characters other than '='";

const nameFaults = (name: string, field: string): readonly FieldError[] => {
  if (name === '') return [required(field)];
  return /^[ -<>-~]+$/.test(name) ? [] : [invalidValue(field, name, NAME_RULE)];
};

const sourceFaults = ({ value, valueFrom }: EnvVar, field: string): readonly FieldError[] => {
  if (!valueFrom) return [];
  const sources = Object.keys(valueFrom).length;
  if (sources === 0)
    return [
      invalidValue(
        field,
        '',
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
      ),
    ];
  if (value) return [invalidValue(field, '', 'may not be specified when `value` is not empty')];
  return sources > 1 ? [invalidValue(field, '', 'may not have more than one field specified at a time')] : [];
};

/** Each variable must have a name and at most one source of its value. */
export const validateEnv = (env: readonly EnvVar[], field: string): readonly FieldError[] =>
  env.flatMap((variable, index) => [
    ...nameFaults(variable.name ?? '', `${field}[${index}].name`),
    ...sourceFaults(variable, `${field}[${index}].valueFrom`),
  ]);

export interface EnvFrom {
  readonly configMapRef?: object;
  readonly secretRef?: object;
}

/** Each entry must name either a ConfigMap or a Secret. */
export const validateEnvFrom = (sources: readonly EnvFrom[], field: string): readonly FieldError[] =>
  sources.flatMap(({ configMapRef, secretRef }, index) => {
    const at = `${field}[${index}]`;
    if (configMapRef && secretRef)
      return [invalidValue(at, '', 'may not have more than one field specified at a time')];
    return configMapRef || secretRef
      ? []
      : [invalidValue(at, '', 'must specify one of: `configMapRef` or `secretRef`')];
  });
