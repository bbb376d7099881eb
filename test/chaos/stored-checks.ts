/** Checks of the stored state after each kill. */
import type { SqliteState } from '../../shared/adapters/sqlite/state.ts';
import { NODE_LEASE_NAMESPACE } from '../../shared/kube/types/well-known.ts';
import type { LogEntry } from '../../shared/ports/store/change-log.ts';
import { slotsBetween } from '../support/stores/log-entries.ts';
import { contentOf } from './content.ts';
import type { Acknowledged, Ledger, Resource } from './ledger.ts';

const nodesIn = async ({ objects }: SqliteState): Promise<ReadonlyMap<string, string>> => {
  const { rows } = await objects.page({ resource: 'nodes', namespace: '' });
  return new Map(rows.filter(({ state }) => state === 'live').map(({ key, uid }) => [key.name, uid]));
};

const entriesIn = async ({ heartbeats }: SqliteState): Promise<ReadonlyMap<string, string>> => {
  const entries = new Map<string, string>();
  for await (const part of heartbeats.scan())
    for (const { namespace, name, uid } of part.value)
      if (namespace === NODE_LEASE_NAMESPACE && uid !== undefined) entries.set(name, uid);
  return entries;
};

/** Checks that every Node has a heartbeat item of its uid, and every item a Node. */
export const checkItems = async (state: SqliteState, ledger: Ledger): Promise<void> => {
  const [nodes, entries] = [await nodesIn(state), await entriesIn(state)];
  for (const name of new Set([...nodes.keys(), ...entries.keys()]))
    if (nodes.get(name) !== entries.get(name))
      ledger.violate(`${name}: Node ${nodes.get(name)}, heartbeat item ${entries.get(name)}`);
};

export interface LogCheck {
  /** The entries since the last call, the oldest first. */
  read(state: SqliteState): Promise<readonly LogEntry[]>;
}

/** Reads the change log from call to call, and checks that its counter never goes back. */
export const createLogReader = (resource: Resource, ledger: Ledger): LogCheck => {
  let last = 0;
  return {
    read: async ({ objects }) => {
      const counter = await objects.counter(resource);
      if (!counter) return [];
      if (counter.counter < Math.max(last, ledger.floor(resource)))
        ledger.violate(`${resource}: the counter went back to ${counter.counter}`);
      const from = last === 0 ? counter.seed : last + 1;
      last = counter.counter;
      const slots = await slotsBetween(objects, resource, from, last);
      return slots.filter((slot) => slot.slot === 'entry');
    },
  };
};

const isOf = ({ key, object }: LogEntry, write: Acknowledged): boolean =>
  key.name === write.name && object.metadata.uid === write.uid && contentOf(object) === write.content;

/** Checks that every acknowledged write is in the log, with its content and the version that was returned. */
export const checkAcknowledged = (
  resource: Resource,
  entries: readonly LogEntry[],
  writes: readonly Acknowledged[],
  ledger: Ledger,
): void => {
  const byRevision = new Map(entries.map((entry) => [entry.revision, entry]));
  const deleted = new Set(
    entries.filter(({ type }) => type === 'DELETED').map(({ object }) => object.metadata.uid),
  );
  for (const write of writes.filter((one) => one.resource === resource)) {
    const entry = byRevision.get(write.version);
    const isThere = write.content === undefined ? deleted.has(write.uid) : entry && isOf(entry, write);
    if (!isThere) ledger.violate(`${resource}/${write.name}: ${JSON.stringify(write)} is not in the log`);
  }
};
