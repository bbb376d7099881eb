/** The spec of access reviews, and its validation. Source: kubernetes v1.34 `pkg/apis/authorization/validation`. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidValue, required } from '../../kube/errors/field-error.ts';
import type { PathAccess, ResourceAccess } from '../access/access.ts';

interface Selector {
  readonly rawSelector?: string;
  readonly requirements?: readonly {
    readonly key?: string;
    readonly operator?: string;
    readonly values?: readonly string[];
  }[];
}

/** The access to a resource that a review asks about. */
export interface ResourceAttributes {
  readonly namespace?: string;
  readonly verb?: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly fieldSelector?: Selector;
  readonly labelSelector?: Selector;
}

/** The spec of an access review: exactly one of the two must be set. */
export interface AccessSpec {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string };
}

/** The resource access that a review asks about; missing fields are `''`. */
export const resourceAccessOf = (attributes: ResourceAttributes): ResourceAccess => {
  const { verb = '', group = '', resource = '', subresource = '', namespace = '', name = '' } = attributes;
  return { verb, group, resource, subresource, namespace, name };
};

/** The path access that a review asks about; missing fields are `''`. */
export const pathAccessOf = ({
  path = '',
  verb = '',
}: NonNullable<AccessSpec['nonResourceAttributes']>): PathAccess => ({ path, verb });

/**
 * The field selector as text. Of `requirements` only those that demand a single value are included: decisions use
 * no others.
 */
export const fieldSelectorOf = ({ fieldSelector: selector }: ResourceAttributes): string =>
  selector?.rawSelector ??
  (selector?.requirements ?? [])
    .filter(({ operator, values = [] }) => operator === 'In' && values.length === 1)
    .map(({ key = '', values = [] }) => `${key}=${(values[0] ?? '').replace(/[\\,=]/g, '\\$&')}`)
    .join(',');

const selectorFaults = (selector: Selector | undefined, path: string): readonly FieldError[] => {
  if (!selector) return [];
  const [hasRaw, hasRequirements] = [Boolean(selector.rawSelector), Boolean(selector.requirements?.length)];
  if (hasRaw && hasRequirements)
    return [
      invalidValue(
        `${path}.rawSelector`,
        selector.rawSelector,
        'may not specified at the same time as requirements',
      ),
    ];
  return hasRaw || hasRequirements
    ? []
    : [
        required(
          `${path}.requirements`,
          `when ${path} is specified, requirements or rawSelector is required`,
        ),
      ];
};

/** The path attributes as Go prints them: with the field names of the internal type. */
export const printedPath = ({
  path = '',
  verb = '',
}: NonNullable<AccessSpec['nonResourceAttributes']>): object => ({ Path: path, Verb: verb });

const choiceFaults = ({ resourceAttributes: resource, nonResourceAttributes: path }: AccessSpec) => {
  if (resource && path)
    return [
      invalidValue(
        'spec.nonResourceAttributes',
        printedPath(path),
        'cannot be specified in combination with resourceAttributes',
      ),
    ];
  return resource || path
    ? []
    : [
        invalidValue(
          'spec.resourceAttributes',
          null,
          'exactly one of nonResourceAttributes or resourceAttributes must be specified',
        ),
      ];
};

/** Faults of a spec: in the choice between resource and path, and in its selectors. */
export const choiceAndSelectorFaults = (spec: AccessSpec) => ({
  choice: choiceFaults(spec),
  selectors: [
    ...selectorFaults(spec.resourceAttributes?.fieldSelector, 'spec.resourceAttributes.fieldSelector'),
    ...selectorFaults(spec.resourceAttributes?.labelSelector, 'spec.resourceAttributes.labelSelector'),
  ],
});
