/** The items of relays, over a synchronous table. */
import { NODE_LEASE_NAMESPACE } from '../../kube/types/well-known.ts';
import { optional } from '../../kube/values/optional.ts';
import type { HeartbeatItem, RelayStore } from '../../ports/store/heartbeats.ts';
import { partPath, RELAY_BEATS, RELAY_ROSTERS, withRelay } from '../../ports/store/heartbeats.ts';
import type { RelayPart } from '../../rules/relays/relay-items.ts';
import type { HeartbeatTable } from './tables.ts';
import { pathOf } from './tables.ts';

/** Key of the roster of a part. */
const rosterKey = (part: RelayPart) => ({ namespace: RELAY_ROSTERS, name: partPath(part) });
/** Key of the beats of a part. */
export const beatsKey = (part: RelayPart) => ({ namespace: RELAY_BEATS, name: partPath(part) });

const entryOf = (node: string) => ({ namespace: NODE_LEASE_NAMESPACE, name: node });

const put = (heartbeats: HeartbeatTable, item: HeartbeatItem): true => {
  heartbeats.set(pathOf(item), item);
  return true;
};

/** Tells the relays of a node that it has new work. A part that has sent no batch yet learns of it with its first one. */
export const tellRelays = (heartbeats: HeartbeatTable, parts: readonly string[]): void => {
  for (const name of parts) {
    const item = heartbeats.get(pathOf({ namespace: RELAY_BEATS, name }));
    if (item) put(heartbeats, { ...item, workChanges: (item.workChanges ?? 0) + 1 });
  }
};

/** The store of relays over a synchronous table. */
export const createRelayStore = (heartbeats: HeartbeatTable): RelayStore => ({
  readRelay: async (part) => {
    const roster = heartbeats.get(pathOf(rosterKey(part)))?.roster;
    const { relayed: beats, workChanges } = heartbeats.get(pathOf(beatsKey(part))) ?? {};
    return {
      ...(roster ? { roster } : {}),
      ...(beats ? { beats } : {}),
      ...optional('workChanges', workChanges),
    };
  },
  replaceRoster: async (part, read, roster, expiresAt) => {
    const key = rosterKey(part);
    const stored = heartbeats.get(pathOf(key));
    return stored?.roster?.revision === read && put(heartbeats, { ...key, roster, expiresAt });
  },
  replaceRelayed: async (part, read, relayed, expiresAt) => {
    const key = beatsKey(part);
    const stored = heartbeats.get(pathOf(key));
    return stored?.relayed?.sequence === read && put(heartbeats, { ...stored, ...key, relayed, expiresAt });
  },
  joinRelay: async (node, uid, part) => {
    const item = heartbeats.get(pathOf(entryOf(node)));
    if (item?.uid !== uid) return false;
    return put(heartbeats, { ...item, relays: withRelay(item.relays, partPath(part)) });
  },
  entries: async (nodes) =>
    nodes.flatMap((node) => {
      const item = heartbeats.get(pathOf(entryOf(node)));
      return item ? [item] : [];
    }),
});
