import type { ServedKind } from '../../kinds/contract/strategy.ts';

/** The kind of what a relay sends, and its resource. */
export const BATCH_KIND: ServedKind = {
  group: 'rollcall.dev',
  version: 'v1',
  kind: 'RelayBatch',
  resource: 'heartbeats',
  namespaced: false,
};
