import { NODE_LEASE_NAMESPACE } from '../../shared/api/well-known.ts';
import type { NodeHealthRow } from '../../shared/domain/node-health.ts';
import type { ControlStore, ZoneRecord } from '../../shared/ports/control-store.ts';
import type { HeartbeatItem, HeartbeatStore } from '../../shared/ports/heartbeats.ts';
import type { ObjectLog } from '../../shared/ports/object-log.ts';

export interface Fleet {
  readonly nodes: readonly NodeHealthRow[];
  /** Entry of the roll call of each of `nodes`, in their order; `undefined` where the scan has none. */
  readonly items: readonly (HeartbeatItem | undefined)[];
  readonly zones: readonly ZoneRecord[];
}

export interface ReadFleetDeps {
  readonly log: Pick<ObjectLog, 'nodeHealth'>;
  readonly heartbeats: Pick<HeartbeatStore, 'scan'>;
  readonly control: Pick<ControlStore, 'zones'>;
}

const readNodes = async ({ log }: ReadFleetDeps): Promise<readonly NodeHealthRow[]> => {
  const nodes: NodeHealthRow[] = [];
  for await (const { value } of log.nodeHealth()) for (const row of value) nodes.push(row);
  return nodes;
};

const readItems = async ({ heartbeats }: ReadFleetDeps): Promise<readonly HeartbeatItem[]> => {
  const items: HeartbeatItem[] = [];
  for await (const { value } of heartbeats.scan())
    for (const item of value)
      if (item.uid !== undefined && item.namespace === NODE_LEASE_NAMESPACE) items.push(item);
  return items;
};

/** The item of each node. Stores that answer both reads in one order need no map: the same place is tried first. */
const itemsOf = (nodes: readonly NodeHealthRow[], items: readonly HeartbeatItem[]): Fleet['items'] => {
  let byName: ReadonlyMap<string, HeartbeatItem> | undefined;
  return nodes.map(({ name }, index) => {
    if (items[index]?.name === name) return items[index];
    byName ??= new Map(items.map((item) => [item.name, item]));
    return byName.get(name);
  });
};

/** Reads all nodes and all beats, eventually consistent: what is decided by them alone must not be written. */
export const readFleet = async (deps: ReadFleetDeps): Promise<Fleet> => {
  const [nodes, items, zones] = await Promise.all([readNodes(deps), readItems(deps), deps.control.zones()]);
  return { nodes, items: itemsOf(nodes, items), zones };
};
