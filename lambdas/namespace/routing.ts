import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { SETTLE_SECONDS } from '../../shared/rules/owners/namespace-content.ts';
import type { Routing } from '../contract/controller.ts';
import type { NamespaceMessage } from './message.ts';

const isGoing = (row: LiveRow | undefined): boolean => row?.object.metadata.deletionTimestamp !== undefined;

/**
 * A message for each namespace whose deletion begins. It comes after some seconds, so that clients can delete objects themselves until
 * then. A resync of nodes sends none: a sweep looks at all namespaces.
 */
export const routing: Routing<NamespaceMessage> = {
  route: ({ key, uid, before, after }) =>
    key.resource === 'namespaces' && isGoing(after) && !isGoing(before)
      ? [{ body: { v: 1, name: key.name, uid }, delaySeconds: SETTLE_SECONDS }]
      : [],
  resync: async () => [],
};
