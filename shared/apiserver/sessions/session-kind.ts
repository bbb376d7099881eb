import type { ServedKind } from '../../kinds/contract/strategy.ts';

/** The kind of the answer to a gateway that asks for a session, and its resource. */
export const SESSION_KIND: ServedKind = {
  group: 'rollcall.dev',
  version: 'v1',
  kind: 'NodeSession',
  resource: 'sessions',
  namespaced: false,
};
