/** What the API needs to store who holds the podCIDRs that clients write. It is only loaded where Nodes get podCIDRs. */
import { addressItems } from '../../shared/adapters/dynamodb/address-items.ts';
import type { NodeIpamConfig } from '../../shared/config/node-ipam.ts';
import { clusterRanges } from '../../shared/domain/addresses/cluster-range.ts';
import { createAddressEffects } from '../../shared/state/address-effects.ts';

/** For the stores, and for the object writer. */
export const addressParts = (nodeIpam: NodeIpamConfig) => ({
  stores: { addressItems },
  writer: { addressEffects: createAddressEffects(clusterRanges(nodeIpam)) },
});
