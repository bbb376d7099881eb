import type { ServedKind } from '../../kinds/contract/strategy.ts';

/** The kind Relay and its resource. */
export const RELAY_KIND: ServedKind = {
  group: 'rollcall.dev',
  version: 'v1',
  kind: 'Relay',
  resource: 'relays',
  namespaced: false,
};
