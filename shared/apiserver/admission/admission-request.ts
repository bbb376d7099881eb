import type { ApiObject } from '../../api/meta.ts';
import type { User } from '../access/user.ts';

/** A write as admission sees it. */
export interface AdmissionRequest<T extends ApiObject = ApiObject> {
  readonly user: User;
  readonly operation: 'create' | 'update' | 'delete';
  /** `''` for the object itself. */
  readonly subresource: string;
  /** The object as the request wants it; for a deletion the object that is there. */
  readonly object: T;
  /** The object that is there. */
  readonly before?: T;
  readonly config: { readonly defaultTolerationSeconds: number };
}

/** A request as far as restrictions look at it. */
export type RestrictedRequest<T extends ApiObject = ApiObject> = Omit<AdmissionRequest<T>, 'config'>;
