import type { ServedKind } from '../../kinds/contract/strategy.ts';

/** The kind of a review; its resource is the kind in lower-case plural. */
export const reviewKind = (
  group: string,
  kind: string,
  rest: { readonly namespaced: boolean } = { namespaced: false },
): ServedKind => ({ group, version: 'v1', kind, resource: `${kind.toLowerCase()}s`, ...rest });
