/** What the API needs to store who holds the podCIDRs that clients write. It is only loaded where Nodes get podCIDRs. */
import { addressItems } from '../../shared/adapters/dynamodb/items/address-items.ts';
import { clusterRanges } from '../../shared/rules/addresses/cluster-range.ts';
import type { NodeIpamConfig } from '../../shared/settings/node-ipam.ts';
import { createAddressEffects } from '../../shared/store/writer/address-effects.ts';

/** For the stores, and for the object writer. */
export const addressParts = (nodeIpam: NodeIpamConfig) => ({
  stores: { addressItems },
  writer: { addressEffects: createAddressEffects(clusterRanges(nodeIpam)) },
});
