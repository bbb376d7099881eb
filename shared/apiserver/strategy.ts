/** How one kind behaves: what the verbs do not know. Kubernetes calls this a REST strategy. */
import type { FieldError } from '../api/field-error.ts';
import type { ApiObject } from '../api/meta.ts';
import type { StructType } from '../api/schema/field-types.ts';
import type { FieldRequirement } from '../api/selector/field-selector.ts';
import type { EpochMs } from '../api/time.ts';
import type { ListSource } from '../state/lists.ts';
import type { AdmissionRequest } from './admission/admission-request.ts';
import type { ApiServerDeps } from './deps.ts';

export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespaced: boolean;
  /** Other apiVersions that bodies may have. */
  readonly alsoAccepts?: readonly string[];
}

export interface Strategy<T extends ApiObject = ApiObject> {
  readonly kind: ServedKind;
  readonly schema: StructType;
  /** The decoded object with the values that the API fills in. */
  defaults(object: T): T;
  /** A new object before validation: what clients may not set is reset. */
  forCreate(object: T, now: EpochMs): T;
  /** A changed object before validation: what this endpoint does not change stays as it was. */
  forUpdate(after: T, before: T): T;
  forStatusUpdate?(after: T, before: T, now: EpochMs): T;
  validate(object: T): readonly FieldError[];
  validateUpdate(after: T, before: T): readonly FieldError[];
  validateStatusUpdate?(after: T, before: T): readonly FieldError[];
  /** What the author of a valid new object is told. */
  warnings?(object: T): readonly string[];
  /** The same for a changed object; its status aside. */
  updateWarnings?(object: T): readonly string[];
  /** The object as admission lets it in; throws 403. */
  admit(request: AdmissionRequest<T>): T;
  /** What `fieldSelector` may ask for beside name and namespace. */
  fields(object: T): Readonly<Record<string, string>>;
  /** An index that answers this selector. */
  source?(requirements: readonly FieldRequirement[]): ListSource | undefined;
  /** Whether a PUT of a missing object creates it. */
  readonly createsOnUpdate?: boolean;
  /** Whether a PUT must carry the version that it replaces. */
  readonly needsVersionOnUpdate?: boolean;
  /** `false`: other objects never depend on it, so deletions of it know no propagation policy. */
  readonly isOwner?: boolean;
  /**
   * Whether something of the object's own, beside its finalizers, holds it while it is being deleted.
   * `before`: the object that a client's DELETE found.
   */
  isHeld?(object: T, before?: T): boolean;
  /** How the object shows that its deletion has begun, where that is not as usual. */
  markDeleted?(object: T, now: EpochMs): T;
  /** The strategy for one create, with what its admission has to know of other objects. */
  prepared?(given: T, deps: ApiServerDeps): Promise<Strategy<T>>;
  /** Whether a deletion answers with the object rather than with a Status. */
  readonly deletionReturnsObject?: boolean;
  /** Seconds between a deletion's request and its end; without it the end is at once. */
  graceSeconds?(object: T, requested: number | undefined): number;
  /** Milliseconds for which objects of this kind are kept. */
  retentionMs?: (config: { readonly eventRetentionMs: number }) => number;
}

export const apiVersionOf = ({ group, version }: Pick<ServedKind, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`;
