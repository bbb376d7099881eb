import type { EpochMs } from '../../../kube/values/time.ts';
import type { HeartbeatItem } from '../../../ports/store/heartbeats.ts';
import { isBeatOnly } from '../../../rules/nodes/beat-only-change.ts';
import type { HeartbeatTable } from '../../in-process/tables.ts';
import type { Database } from '../file/database.ts';
import { createHeartbeatFile, type HeartbeatFile } from './heartbeat-file.ts';
import { createHeartbeatRows } from './heartbeat-items.ts';

/** Milliseconds for which a beat may be in memory only. */
export const UNSAVED_MS = 1_000;
/** Beats that are written together. With the rows that are brought up to date so many take a millisecond or two, in which no request is handled. */
const MOST_TOGETHER = 256;

/**
 * All heartbeat items, in memory, over `heartbeats.db`. A beat is written within a second, together with others; any
 * other change is in the file when `set` returns.
 */
export interface HeartbeatMemory extends HeartbeatTable {
  /** Carries out the `set` of several items in one transaction: all or, if it throws, none, in the file and in memory. */
  together(work: () => void): void;
  /** Writes the beats that are in memory only. Throws where the database does. */
  save(): void;
  /** Writes everything into the table `item`, part by part. */
  saveRows(): Iterator<void>;
  /** Reads the file again. */
  load(): void;
  /** Removes an item. */
  remove(path: string): void;
  /** Beats that an earlier process answered before this instant may be lost; `undefined` if none are. */
  lostBefore(): EpochMs | undefined;
  /** How many nodes that an earlier process has heard have been heard by this one. */
  heardAgain(): number;
  /** Writes everything and notes that nothing is lost. */
  end(): void;
}

/** What the file says about beats that are not in it. */
const unsavedIn = (heartbeats: Database) => {
  const read = heartbeats.prepare<{ before: EpochMs }>('SELECT before FROM unsaved');
  const put = heartbeats.prepare('INSERT OR REPLACE INTO unsaved (id, before) VALUES (1, ?)');
  const remove = heartbeats.prepare('DELETE FROM unsaved');
  return {
    read: () => read.get()?.before,
    put: (before: EpochMs) => put.run(before),
    remove: () => remove.run(),
  };
};

/** Nodes that an earlier process has heard, and this one has not. */
const createUnheard = (items: ReadonlyMap<string, HeartbeatItem>) => {
  const unheard = new Set<string>();
  for (const [path, { uid, observedAt }] of items)
    if (uid !== undefined && observedAt !== undefined) unheard.add(path);
  let heard = 0;
  return {
    heard: () => heard,
    /** Call it with an item before it is replaced. */
    change: (path: string, { observedAt = 0 }: HeartbeatItem): void => {
      if (!unheard.has(path) || observedAt <= (items.get(path)?.observedAt ?? 0)) return;
      unheard.delete(path);
      heard += 1;
    },
    forget: (path: string): void => {
      unheard.delete(path);
    },
  };
};

type Items = ReadonlyMap<string, HeartbeatItem>;

/** When the last beat, or the last batch of a part, was received. */
const beatenAt = ({ observedAt, relayed }: HeartbeatItem): EpochMs => observedAt ?? relayed?.receivedAt ?? 0;

/** Beats that are in memory only. One waits only before the instant that the file names as `unsaved`. */
const createWaitingBeats = (file: HeartbeatFile, unsaved: ReturnType<typeof unsavedIn>) => {
  const waiting = new Map<string, HeartbeatItem>();
  let waitsBefore = Number.NEGATIVE_INFINITY;
  /** Writes a beat with those that wait, and allows others to wait after it. */
  const saveWith = (path: string, item: HeartbeatItem): void => {
    const before = beatenAt(item) + UNSAVED_MS;
    file.append(new Map(waiting).set(path, item), () => unsaved.put(before));
    waiting.clear();
    waitsBefore = before;
  };
  return {
    /** Whether a beat of this process has been allowed to wait. */
    haveWaited: (): boolean => waitsBefore !== Number.NEGATIVE_INFINITY,
    add: (path: string, item: HeartbeatItem): void => {
      if (beatenAt(item) < waitsBefore && waiting.size < MOST_TOGETHER) waiting.set(path, item);
      else saveWith(path, item);
    },
    save: (): void => {
      if (waiting.size === 0) return;
      file.append(waiting, () => undefined);
      waiting.clear();
    },
    remove: (path: string): void => {
      waiting.delete(path);
    },
    forget: (): void => {
      waiting.clear();
      waitsBefore = Number.NEGATIVE_INFINITY;
    },
  };
};

type SetItem = (path: string, item: HeartbeatItem) => void;

/** What `together` has been given so far. `write`: writes all of it, or throws. */
const createStage = (items: Items, write: (given: Items) => void) => {
  let staged: Map<string, HeartbeatItem> | undefined;
  return {
    get: (path: string): HeartbeatItem | undefined => staged?.get(path) ?? items.get(path),
    setBy:
      (set: SetItem): SetItem =>
      (path, item) => {
        if (staged) staged.set(path, item);
        else set(path, item);
      },
    together: (work: () => void): void => {
      const given = new Map<string, HeartbeatItem>();
      staged = given;
      try {
        work();
      } finally {
        staged = undefined;
      }
      write(given);
    },
  };
};

/** Items in memory, and their changes: what is a beat may wait, and what is none is in the file first. */
const createItems = (heartbeats: Database, unsaved: ReturnType<typeof unsavedIn>) => {
  const items = new Map<string, HeartbeatItem>();
  const file = createHeartbeatFile(heartbeats, createHeartbeatRows(heartbeats), items);
  const waiting = createWaitingBeats(file, unsaved);
  const set = (note: SetItem, path: string, item: HeartbeatItem): void => {
    if (isBeatOnly(items.get(path), item)) waiting.add(path, item);
    else {
      file.set(path, item);
      waiting.remove(path);
    }
    note(path, item);
  };
  const setAll = (note: SetItem, given: Items): void => {
    const { beats = [], changes = [] } = Object.groupBy(given, ([path, item]) =>
      isBeatOnly(items.get(path), item) ? 'beats' : 'changes',
    );
    file.setAll(changes);
    for (const [path, item] of changes) {
      waiting.remove(path);
      note(path, item);
    }
    for (const [path, item] of beats) set(note, path, item);
  };
  return { items, file, waiting, set, setAll };
};

/** Reads all items into memory. */
export const createHeartbeatMemory = (heartbeats: Database): HeartbeatMemory => {
  const unsaved = unsavedIn(heartbeats);
  let lost = unsaved.read();
  const { items, file, waiting, set, setAll } = createItems(heartbeats, unsaved);
  /** Leases whose last renewals may be lost, until their version changes. Versions do not move with the clock, so no instant tells. */
  const unsure = new Set<string>();

  const load = (): void => {
    items.clear();
    for (const [path, item] of file.load()) items.set(path, item);
    // The instant moves with the clock, until this process notes one of its own there.
    if (lost !== undefined && !waiting.haveWaited()) lost = unsaved.read();
    waiting.forget();
  };

  load();
  const unheard = createUnheard(items);
  if (lost !== undefined) for (const [path, { lease }] of items) if (lease) unsure.add(path);
  const note = (path: string, item: HeartbeatItem): void => {
    unheard.change(path, item);
    if (unsure.size > 0 && item.version !== items.get(path)?.version) unsure.delete(path);
    items.set(path, item);
  };
  const stage = createStage(items, (given) => setAll(note, given));
  return {
    get: stage.get,
    values: () => items.values(),
    set: stage.setBy((path, item) => set(note, path, item)),
    together: stage.together,
    save: waiting.save,
    *saveRows() {
      waiting.save();
      yield* file.catchUp();
    },
    load,
    remove: (path) => {
      file.remove(path);
      waiting.remove(path);
      unsure.delete(path);
      unheard.forget(path);
      items.delete(path);
    },
    lostBefore: () => lost,
    heardAgain: unheard.heard,
    mayHaveLost: (path) => unsure.has(path),
    end: () => {
      waiting.save();
      unsaved.remove();
    },
  };
};
