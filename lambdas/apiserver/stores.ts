import { createPublicKeys } from '../../shared/adapters/dynamodb/objects/public-keys.ts';
import { createCapacityStores } from '../../shared/adapters/dynamodb/stores.ts';
import type { TableNames } from '../../shared/adapters/dynamodb/table/schema.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { IdSource } from '../../shared/ports/process/id-source.ts';
import type { NodeIpamConfig } from '../../shared/settings/node-ipam.ts';
import { createCapacityEffects } from '../../shared/store/writer/capacity-effects.ts';

/** The stores of the API, and what its writes change besides objects: claims, and blocks of addresses where Nodes get podCIDRs. */
export const createApiStores = async (
  tables: TableNames,
  clock: Clock,
  ids: IdSource,
  nodeIpam: NodeIpamConfig | undefined,
) => {
  const addresses = nodeIpam && (await import('./address-parts.ts')).addressParts(nodeIpam);
  const plain = createCapacityStores(tables, clock, ids, addresses?.stores);
  const publicKeys = createPublicKeys(plain.dynamo);
  const effects = { capacityEffects: createCapacityEffects(plain.capacity), ...addresses?.writer };
  return { plain, publicKeys, effects };
};
