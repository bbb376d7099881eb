import type { TableNames } from '../../shared/adapters/dynamodb/schema.ts';
import { createCapacityStores } from '../../shared/adapters/dynamodb/stores.ts';
import type { NodeIpamConfig } from '../../shared/config/node-ipam.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { IdSource } from '../../shared/ports/id-source.ts';
import { createCapacityEffects } from '../../shared/state/capacity-effects.ts';

/** The stores of the API, and what its writes change besides objects: claims, and blocks of addresses where Nodes get podCIDRs. */
export const createApiStores = async (
  tables: TableNames,
  clock: Clock,
  ids: IdSource,
  nodeIpam: NodeIpamConfig | undefined,
) => {
  const addresses = nodeIpam && (await import('./address-parts.ts')).addressParts(nodeIpam);
  const plain = createCapacityStores(tables, clock, ids, addresses?.stores);
  return { plain, effects: { capacityEffects: createCapacityEffects(plain.capacity), ...addresses?.writer } };
};
