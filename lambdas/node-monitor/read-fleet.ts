import { NODE_LEASE_NAMESPACE } from '../../shared/api/well-known.ts';
import type { NodeHealthRow } from '../../shared/domain/nodes/node-health.ts';
import type { ControlStore, ZoneRecord } from '../../shared/ports/control-store.ts';
import type { Eventual } from '../../shared/ports/eventual.ts';
import type { HeartbeatItem, HeartbeatStore } from '../../shared/ports/heartbeats.ts';
import type { ObjectStore } from '../../shared/ports/object-store.ts';

/** All that one pass reads before it decides. */
export interface Fleet {
  readonly nodes: readonly NodeHealthRow[];
  /** The heartbeat item of each of `nodes`, in the same order; `undefined` if the scan found none. */
  readonly items: readonly (HeartbeatItem | undefined)[];
  readonly zones: readonly ZoneRecord[];
}

export interface ReadFleetDeps {
  readonly objects: Pick<ObjectStore, 'nodeHealth'>;
  readonly heartbeats: Pick<HeartbeatStore, 'scan'>;
  readonly control: Pick<ControlStore, 'zones'>;
}

/** All rows of a read. A single page is returned without a copy. */
const rowsOf = async <T>(pages: AsyncIterable<Eventual<readonly T[]>>): Promise<readonly T[]> => {
  const read: (readonly T[])[] = [];
  for await (const { value } of pages) read.push(value);
  const [only] = read;
  return only && read.length === 1 ? only : read.flat();
};

const isEntryOf = (item: HeartbeatItem | undefined, name: string): boolean =>
  item?.name === name && item.uid !== undefined && item.namespace === NODE_LEASE_NAMESPACE;

const entriesByName = (items: readonly HeartbeatItem[]): ReadonlyMap<string, HeartbeatItem> =>
  new Map(items.flatMap((item) => (isEntryOf(item, item.name) ? [[item.name, item]] : [])));

/** The item of each node. It tries the same index first: stores that return both reads in the same order need no map. */
const itemsOf = (nodes: readonly NodeHealthRow[], items: readonly HeartbeatItem[]): Fleet['items'] => {
  let byName: ReadonlyMap<string, HeartbeatItem> | undefined;
  return nodes.map(({ name }, index) => {
    const item = items[index];
    if (isEntryOf(item, name)) return item;
    byName ??= entriesByName(items);
    return byName.get(name);
  });
};

/** Reads all nodes, heartbeats and zones, eventually consistent. Read a node consistently before you write a decision about it. */
export const readFleet = async (deps: ReadFleetDeps): Promise<Fleet> => {
  const [nodes, items, zones] = await Promise.all([
    rowsOf(deps.objects.nodeHealth()),
    rowsOf(deps.heartbeats.scan()),
    deps.control.zones(),
  ]);
  return { nodes, items: itemsOf(nodes, items), zones };
};
