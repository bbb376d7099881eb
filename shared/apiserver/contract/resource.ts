/** The rows of the table of resources. */

import type { ServedKind } from '../../kinds/contract/strategy.ts';
import type { Handle } from './call.ts';
import type { ApiServerDeps } from './deps.ts';
import type { Verb } from './request-info.ts';

/** The verbs of a resource, each with its handler. */
export type Verbs = Readonly<Partial<Record<Verb, Handle<ApiServerDeps>>>>;

/** A subresource. `group` and `version` are those of its kind, given if they differ from the resource's. */
export interface Subresource {
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: Verbs;
}

/** A resource: its kind, names, verbs and subresources. */
export interface Resource extends ServedKind {
  readonly singular: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: Verbs;
  /** Message of the 405 for a verb that the resource does not have; by default Kubernetes' own. */
  readonly refusal?: string;
  readonly subresources: Readonly<Record<string, Subresource>>;
}
