/** Builds strategies of kinds that are stored as they are given. */

import type { FieldError } from '../../kube/errors/field-error.ts';
import { deepEqual } from '../../kube/json/deep-equal.ts';
import { kindSchema } from '../../kube/schema/schema-of.ts';
import type { ApiObject, ObjectMeta } from '../../kube/types/meta.ts';
import type { NameRule } from '../fields/metadata.ts';
import { validateCommonMetadata, validateMetadata, validateMetadataUpdate } from '../fields/metadata.ts';
import type { ServedKind, Strategy } from './strategy.ts';

/** An object with `spec` and `status`. */
export interface WithSpec<S = Readonly<Record<string, unknown>>> extends ApiObject {
  readonly spec?: S;
  readonly status?: object;
}

/** What distinguishes a kind that is stored as it is given. */
export interface StoredKind<T extends ApiObject> {
  readonly kind: ServedKind;
  /** The kind's message in the schema, such as `core.v1.ConfigMap`. */
  readonly message: string;
  readonly nameRule?: NameRule;
  /** Validation besides that of the metadata, for new and for changed objects. */
  readonly rules?: (object: T) => readonly FieldError[];
  /** Validation of new objects only, such as of fields that are immutable then. */
  readonly newRules?: (object: T) => readonly FieldError[];
  /** Validation of changes only, such as immutable fields. */
  readonly changeRules?: (after: T, before: T) => readonly FieldError[];
}

/** A strategy that stores objects as they are given; `overrides` replaces parts of it. */
export const storedObject = <T extends ApiObject>(
  { kind, message, nameRule, rules = () => [], newRules = () => [], changeRules = () => [] }: StoredKind<T>,
  overrides: Partial<Strategy<T>> = {},
): Strategy<T> => {
  const scope = { namespaced: kind.namespaced, ...(nameRule ? { nameRule } : {}) };
  return {
    kind,
    schema: kindSchema(message),
    defaults: (object) => object,
    forCreate: (object) => object,
    forUpdate: (after) => after,
    validate: (object) => [
      ...validateMetadata(object.metadata, scope),
      ...rules(object),
      ...newRules(object),
    ],
    validateUpdate: (after, before) => {
      // Kubernetes validates metadata in two steps: once for all kinds, and again for each kind.
      return [
        ...validateCommonMetadata(after.metadata, before.metadata),
        ...validateMetadataUpdate(after.metadata, before.metadata),
        ...rules(after),
        ...changeRules(after, before),
      ];
    },
    admit: ({ object }) => object,
    fields: () => ({}),
    ...overrides,
  };
};

type Parts<T extends ApiObject> = Required<Pick<Strategy<T>, 'forCreate' | 'forUpdate' | 'forStatusUpdate'>>;

/**
 * For kinds with the subresource `status`: the object's endpoint writes `spec`, that of `status` writes `status`.
 * A new object gets this `status`.
 */
export const withStatus = <T extends WithSpec>(status: object): Parts<T> => ({
  forCreate: (object) => ({ ...object, status }),
  forUpdate: (after, before) => ({ ...after, status: before.status ?? status }),
  forStatusUpdate: (after, before) => ({ ...after, spec: before.spec ?? {} }),
});

const numbered = <T extends ApiObject>(object: T, generation: number): T => ({
  ...object,
  metadata: { ...object.metadata, generation },
});

type Differs<T extends ApiObject> = (after: T, before: T) => boolean;

const specDiffers = <T extends WithSpec>(after: T, before: T): boolean => !deepEqual(after.spec, before.spec);

/** Maintains `metadata.generation`: 1 for a new object, and one more for each change that `differs` detects. */
export const counted = <T extends ApiObject>(
  differs: Differs<T>,
): Pick<Strategy<T>, 'forCreate' | 'forUpdate'> => ({
  forCreate: (object) => numbered(object, 1),
  forUpdate: (after, before) => {
    const was = before.metadata.generation ?? 1;
    return numbered(after, differs(after, before) ? was + 1 : was);
  },
});

/** As `counted`, for changes of `spec`; for kinds without a status. */
export const countedSpec = <T extends WithSpec>(): Pick<Strategy<T>, 'forCreate' | 'forUpdate'> =>
  counted<T>(specDiffers);

/** As `withStatus`, and maintains `metadata.generation` as `counted` does. */
export const withGeneration = <T extends WithSpec>(
  status: object,
  differs: Differs<T> = specDiffers,
): Parts<T> => {
  const [parts, counts] = [withStatus<T>(status), counted<T>(differs)];
  return {
    ...parts,
    forCreate: (object, now) => counts.forCreate(parts.forCreate(object, now), now),
    forUpdate: (after, before) => counts.forUpdate(parts.forUpdate(after, before), before),
  };
};

/**
 * The metadata of a status update, which cannot change labels, annotations, finalizers and owner references.
 * Source: apimachinery v1.34 `ResetObjectMetaForStatus`.
 */
export const keepMetadata = (after: ObjectMeta, before: ObjectMeta): ObjectMeta => {
  const { labels: _l, annotations: _a, finalizers: _f, ownerReferences: _o, ...rest } = after;
  const { labels, annotations, finalizers, ownerReferences } = before;
  const kept = Object.entries({ labels, annotations, finalizers, ownerReferences });
  return { ...rest, ...Object.fromEntries(kept.filter(([, value]) => value !== undefined)) };
};
