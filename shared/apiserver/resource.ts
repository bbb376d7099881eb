/** What a row of the table of resources says. */
import type { Handle } from './call.ts';
import type { ApiServerDeps } from './deps.ts';
import type { Verb } from './request/request-info.ts';
import type { ServedKind } from './strategy.ts';

export type Verbs = Readonly<Partial<Record<Verb, Handle<ApiServerDeps>>>>;

/** `group` and `version`: those of its kind, where they are not the resource's. */
export interface Subresource {
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: Verbs;
}

export interface Resource extends ServedKind {
  readonly singular: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: Verbs;
  readonly subresources: Readonly<Record<string, Subresource>>;
}
