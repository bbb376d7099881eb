/** Slots of the change log. */
import { setImmediate as turn } from 'node:timers/promises';
import type { LogEntry, Slot } from '../../../ports/store/change-log.ts';
import type { ObjectStore, SlotRange } from '../../../ports/store/object-store.ts';
import type { Revision } from '../../../ports/store/rows.ts';
import type { Database } from '../file/database.ts';
import { type Packed, pack } from '../file/packing.ts';
import { pathOf, type SlotColumns, toSlot } from '../file/rows.ts';
import { parsePart } from '../file/turns.ts';

const COLUMNS = 'revision, attempt, at, type, path, body, before, object_expires_at';

/** Reading this many slots takes some milliseconds, after which other work gets a turn of the event loop. */
const MANY = 128;

const takeSlots = (resource: string, found: Iterable<SlotColumns>, to: Revision): SlotRange => {
  const { rows, isCut } = parsePart(found, ({ body, before, ...columns }, text) =>
    toSlot(resource, { ...columns, body: text(body), before: text(before) }),
  );
  const last = isCut ? rows.at(-1)?.revision : undefined;
  return { slots: new Map(rows.map((slot) => [slot.revision, slot])), upTo: last ?? to };
};

/** Reads and writes of the table `slot`. */
export interface Slots extends Pick<ObjectStore, 'slots' | 'putTombstone'> {
  slot(resource: string, revision: Revision): Slot | undefined;
  /** Writes an entry, whose object is packed in `body`. Call it within the commit's transaction. */
  write(entry: LogEntry, body: Packed): void;
}

/** Prepares the statements for the table `slot`. */
export const createSlots = (objects: Database): Slots => {
  const select = `SELECT ${COLUMNS} FROM slot WHERE resource = ? AND revision`;
  const one = objects.prepare<SlotColumns>(`${select} = ?`);
  const range = objects.prepare<SlotColumns>(`${select} BETWEEN ? AND ? ORDER BY revision`);
  const put = objects.prepare(`INSERT INTO slot (resource, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const slot = (resource: string, revision: Revision): Slot | undefined => {
    const found = one.get(resource, revision);
    return found && toSlot(resource, found);
  };
  return {
    slot,
    write: (entry, body) => {
      const before = entry.before && pack(entry.before);
      const { key, revision, attempt, at, type, expiresAt = null } = entry;
      put.run(key.resource, revision, attempt, at, type, pathOf(key), body, before, expiresAt);
    },
    slots: async (resource, from, to) => {
      const read = takeSlots(resource, range.iterate(resource, from, to), to);
      // A reader of a long history reads many batches; yield to the event loop between them.
      if (read.slots.size >= MANY || read.upTo < to) await turn();
      return read;
    },
    putTombstone: async (resource, { revision, attempt, at }) => {
      const present = slot(resource, revision);
      if (!present) put.run(resource, revision, attempt, at, null, null, null, null, null);
      return present;
    },
  };
};
