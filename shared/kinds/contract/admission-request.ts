import type { Namespace } from '../../kube/types/core.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { AdmissionConfig } from '../../settings/admission-plugins.ts';
import type { User } from './user.ts';

/** A write as admission plugins see it. */
export interface AdmissionRequest<T extends ApiObject = ApiObject> {
  readonly user: User;
  readonly operation: 'create' | 'update' | 'delete';
  /** `''` for the object itself, else `status`, `eviction`, … */
  readonly subresource: string;
  /** The object as the request would write it; for a deletion the stored object. */
  readonly object: T;
  /** The stored object; `undefined` for a create. */
  readonly before?: T;
  /** The Namespace of the object, if admission of its kind looks at it and it is stored. */
  readonly namespace?: Namespace;
  readonly config: AdmissionConfig;
}

/** The part of a write that restrictions look at. */
export type RestrictedRequest<T extends ApiObject = ApiObject> = Omit<
  AdmissionRequest<T>,
  'config' | 'namespace'
>;
