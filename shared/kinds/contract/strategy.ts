/** The rules of one kind that the generic verbs call. Kubernetes calls this a REST strategy. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import type { StructType } from '../../kube/schema/field-types.ts';
import type { FieldRequirement } from '../../kube/selector/field-selector.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { RowCheck } from '../../ports/store/rows.ts';
import type { ListSource } from '../../store/lists/lists.ts';
import type { AdmissionRequest } from './admission-request.ts';
import type { CreateDeps } from './create-deps.ts';

/** A kind and the resource under which it is served. */
export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespaced: boolean;
  /** Other apiVersions that bodies may name. */
  readonly alsoAccepts?: readonly string[];
}

/** The rules of one kind. */
export interface Strategy<T extends ApiObject = ApiObject> {
  readonly kind: ServedKind;
  readonly schema: StructType;
  /** The decoded object with Kubernetes' default values. */
  defaults(object: T): T;
  /** A new object before validation, with the fields reset that clients may not set. `now` in ms. */
  forCreate(object: T, now: EpochMs): T;
  /** A changed object before validation, with the fields of `before` that this endpoint does not change. */
  forUpdate(after: T, before: T): T;
  forStatusUpdate?(after: T, before: T, now: EpochMs): T;
  validate(object: T): readonly FieldError[];
  validateUpdate(after: T, before: T): readonly FieldError[];
  validateStatusUpdate?(after: T, before: T): readonly FieldError[];
  /** Warnings for the client that creates a valid object. */
  warnings?(object: T): readonly string[];
  /** Warnings for the client that changes a valid object; not for status updates. */
  updateWarnings?(object: T): readonly string[];
  /** The object after admission. Throws 403. */
  admit(request: AdmissionRequest<T>): T;
  /** The values by which `fieldSelector` can select, besides name and namespace. */
  fields(object: T): Readonly<Record<string, string>>;
  /** An index of the store that answers this selector; `undefined`: the whole resource is read. */
  source?(requirements: readonly FieldRequirement[]): ListSource | undefined;
  /** Whether a PUT of a missing object creates it. */
  readonly createsOnUpdate?: boolean;
  /** Whether a PUT must carry the resourceVersion that it replaces. */
  readonly needsVersionOnUpdate?: boolean;
  /** `false`: objects of this kind never have dependents, so their deletions ignore the propagation policy. */
  readonly isOwner?: boolean;
  /** Whether a deletion without a policy leaves the dependents alone; otherwise they are deleted in the background. */
  readonly orphansDependents?: boolean;
  /** Warning for a client that deletes an object without a policy. */
  readonly orphanWarning?: string;
  /**
   * Whether anything besides grace period and finalizers keeps the object while it is being deleted. `before`: the
   * object that a client's DELETE found.
   */
  isHeld?(object: T, before?: T): boolean;
  /** Marks the object as being deleted, for kinds that do not do so in the usual way. */
  markDeleted?(object: T, now: EpochMs): T;
  /** The strategy for the create of this object, which has its defaults, with other objects read that its admission or validation needs. */
  prepared?(object: T, deps: CreateDeps): Promise<Strategy<T>>;
  /** Conditions on rows of other objects under which a write of this request is stored; if one fails, the answer is 409. */
  rows?(): readonly RowCheck[];
  /** Whether admission of a new object looks at its Namespace, also at a built-in one. */
  readonly admitsByNamespace?: boolean;
  /** The strategy for one update of an object in this namespace, not of a subresource. */
  preparedForUpdate?(namespace: string, deps: CreateDeps): Promise<Strategy<T>>;
  /** Whether a deletion answers with the object instead of a Status. */
  readonly deletionReturnsObject?: boolean;
  /** Seconds from the request of a deletion to its end; without this method deletions are immediate. */
  graceSeconds?(object: T, requested: number | undefined): number;
  /** Milliseconds for which objects of this kind are kept; without this method they do not expire. */
  retentionMs?: (config: { readonly eventRetentionMs: number }) => number;
}

/** The apiVersion of a kind: `v1`, `apps/v1`. */
export const apiVersionOf = ({ group, version }: Pick<ServedKind, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`;
