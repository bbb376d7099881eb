/** Slots of the change log. */
import { setImmediate as turn } from 'node:timers/promises';
import type { ApiObject } from '../../../kube/types/meta.ts';
import type { LogEntry, Slot } from '../../../ports/store/change-log.ts';
import type { ObjectStore, SlotRange } from '../../../ports/store/object-store.ts';
import type { Revision } from '../../../ports/store/rows.ts';
import type { Database } from '../file/database.ts';
import { type PackedText, pack } from '../file/packing.ts';
import { pathOf, type SlotColumns, toSlot } from '../file/rows.ts';
import { parsePart } from '../file/turns.ts';
import type { RecentCommits, RecentSlot } from '../memory/recent-commits.ts';
import { type StoredRow, storedSlot } from '../memory/stored-row.ts';

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
  /**
   * Writes an entry, whose object is packed in `body`. Call it within the commit's transaction. `row`: the row with the same object, if
   * there is one.
   */
  write(entry: LogEntry, body: PackedText, row?: StoredRow): RecentSlot;
}

const objectOf = (row: StoredRow | undefined): ApiObject | undefined => {
  const found = row?.row();
  return found?.state === 'live' ? found.object : undefined;
};

export interface SlotsDeps {
  /** The newest slots. */
  readonly recent: RecentCommits;
  /** Carries out what writes slots as one transaction, with the numbers that were taken. `work` returns whether it has written any. */
  readonly together: (work: () => boolean) => void;
}

/** Prepares the statements for the table `slot`. */
export const createSlots = (objects: Database, { recent, together }: SlotsDeps): Slots => {
  const select = `SELECT ${COLUMNS} FROM slot WHERE resource = ? AND revision`;
  const one = objects.prepare<SlotColumns>(`${select} = ?`);
  const range = objects.prepare<SlotColumns>(`${select} BETWEEN ? AND ? ORDER BY revision`);
  const put = objects.prepare(`INSERT INTO slot (resource, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const slot = (resource: string, revision: Revision): Slot | undefined => {
    const known = recent.slot(resource, revision);
    if (known) return known.slot;
    const found = one.get(resource, revision);
    return found && toSlot(resource, found);
  };
  return {
    slot,
    write: (entry, body, row) => {
      const before = entry.before && pack(entry.before);
      const { key, revision, attempt, at, type, expiresAt: object_expires_at = null } = entry;
      const { resource } = key;
      const path = pathOf(key);
      const packed = [body.packed, before?.packed ?? null] as const;
      put.run(resource, revision, attempt, at, type, path, ...packed, object_expires_at);
      const texts = { body: body.text, before: before?.text ?? null };
      const columns = { revision, attempt, at, type, path, ...texts, object_expires_at };
      return { resource, revision, at, ...storedSlot(resource, columns, () => objectOf(row)) };
    },
    slots: async (resource, from, to) => {
      const read =
        recent.slots(resource, from, to) ?? takeSlots(resource, range.iterate(resource, from, to), to);
      // A reader of a long history reads many batches; yield to the event loop between them.
      if (read.slots.size >= MANY || read.upTo < to) await turn();
      return read;
    },
    putTombstone: async (resource, tombstone) => {
      const { revision, attempt, at } = tombstone;
      const present = slot(resource, revision);
      if (present) return present;
      together(() => {
        put.run(resource, revision, attempt, at, null, null, null, null, null);
        recent.add({ slots: [{ resource, revision, at, characters: 0, slot: () => tombstone }] });
        return true;
      });
      return undefined;
    },
  };
};
