/**
 * The heartbeat items in `heartbeats.db`: a row for each item, and groups of beats that are newer than the rows. Rows are brought up to
 * date in the order in which they lie in the file, some with each group, so that a beat costs a few bytes of the file instead of a page.
 */
import type { HeartbeatItem } from '../../../ports/store/heartbeats.ts';
import { pathOf } from '../../in-process/tables.ts';
import type { Database } from '../file/database.ts';
import { type BeatGroups, createBeatGroups } from './beat-groups.ts';
import type { HeartbeatRows } from './heartbeat-items.ts';

/** Beats for each item that beats, after which the rows are brought up to date. */
const BEATS_OF_EACH = 3;
/** Items for which it is worth it at least. */
const FEW_ITEMS = 256;
/** Rows that are brought up to date with a group. So many take a millisecond or two. */
const ROWS_AT_ONCE = 256;
/** Items that are looked at for them. */
const LOOKS_AT_ONCE = 8_192;
/** Groups that are removed with one. */
const DROPS_AT_ONCE = 16;

type Items = ReadonlyMap<string, HeartbeatItem>;

/** A pass over all items: rows that are behind are written. Groups up to `until` are no longer needed when it is over. */
interface Pass {
  readonly paths: Iterator<string>;
  readonly until: number;
}

export interface HeartbeatFile {
  /** All items as they are stored, in the order in which they lie in the file. Call it first, and after the file was changed in another way. */
  load(): Iterable<readonly [path: string, item: HeartbeatItem]>;
  /** Writes the row of an item. */
  set(path: string, item: HeartbeatItem): void;
  /** Writes the rows of several items in one transaction. */
  setAll(items: readonly (readonly [path: string, item: HeartbeatItem])[]): void;
  remove(path: string): void;
  /** Writes beats as a group, `also`, and some of the rows that are behind, in one transaction. */
  append(beats: Items, also: () => void): void;
  /** Brings all rows up to date, part by part. Afterwards they lack only beats that came meanwhile. */
  catchUp(): Generator<void>;
}

/** Some rows of a pass that are behind; `isOver`: there are no others. */
const nextBehind = ({ paths }: Pass, behind: ReadonlySet<string>) => {
  const found: string[] = [];
  for (let looks = 0; looks < LOOKS_AT_ONCE && found.length < ROWS_AT_ONCE; looks += 1) {
    const { value, done } = paths.next();
    if (done) return { found, isOver: true };
    if (behind.has(value)) found.push(value);
  }
  return { found, isOver: false };
};

/** The items of the file: rows, and over them the groups that are newer. `behind`: paths of rows with newer groups. `last`: the newest group. */
const storedItems = (rows: HeartbeatRows, groups: BeatGroups) => {
  const items = new Map<string, HeartbeatItem>();
  const upTo = new Map<string, number>();
  const behind = new Set<string>();
  let last = 0;
  for (const { item, beatsTo } of rows.stored()) {
    items.set(pathOf(item), item);
    upTo.set(pathOf(item), beatsTo);
    last = Math.max(last, beatsTo);
  }
  for (const { seq, beats } of groups.all()) {
    last = Math.max(last, seq);
    for (const { path, over } of beats) {
      const item = items.get(path);
      if (!item || seq <= (upTo.get(path) ?? 0)) continue;
      items.set(path, over(item));
      behind.add(path);
    }
  }
  return { items, behind, last };
};

/** Beats since the last pass began, and whether the next one is due. Items that never beat, such as nodes behind relays, are no reason to let groups grow. */
const createBeatCount = () => {
  const beating = new Set<string>();
  let beats = 0;
  return {
    begin: (): void => {
      beats = 0;
      beating.clear();
    },
    add: (paths: Iterable<string>): void => {
      for (const path of paths) {
        beats += 1;
        beating.add(path);
      }
    },
    isDue: (): boolean => beats >= BEATS_OF_EACH * Math.max(FEW_ITEMS, beating.size),
    /** So many groups may be there that nobody has counted. */
    makeDue: (): void => {
      beats = Number.POSITIVE_INFINITY;
    },
  };
};

/** `items`: all items with their beats, as they are in memory. A group may have newer ones. */
export const createHeartbeatFile = (
  heartbeats: Database,
  rows: HeartbeatRows,
  items: Items,
): HeartbeatFile => {
  const groups = createBeatGroups(heartbeats);
  /** Paths of rows that are older than a group. */
  const behind = new Set<string>();
  let last = 0;
  let droppable = 0;
  const since = createBeatCount();
  let pass: Pass | undefined;

  const begin = (): Pass => {
    since.begin();
    pass = { paths: items.keys(), until: last };
    return pass;
  };
  const write = (path: string): void => {
    const item = items.get(path);
    if (item) rows.set(path, item, last);
  };
  /** A step of a pass, with `work`, in one transaction. A pass whose step fails is given up: its groups stay. */
  const step = (going: Pass | undefined, work: () => void): void => {
    const { found, isOver } = going ? nextBehind(going, behind) : { found: [], isOver: false };
    pass = undefined;
    heartbeats.inTransaction(() => {
      for (const path of found) write(path);
      if (droppable > 0 && groups.drop(droppable, DROPS_AT_ONCE) < DROPS_AT_ONCE) droppable = 0;
      work();
    });
    for (const path of found) behind.delete(path);
    if (going && isOver) droppable = going.until;
    else pass = going;
  };

  return {
    load: () => {
      const stored = storedItems(rows, groups);
      behind.clear();
      for (const path of stored.behind) behind.add(path);
      [last, droppable, pass] = [stored.last, 0, undefined];
      since.makeDue();
      return stored.items;
    },
    set: (path, item) => {
      rows.set(path, item, last);
      behind.delete(path);
    },
    setAll: (changed) => {
      if (changed.length === 0) return;
      heartbeats.inTransaction(() => {
        for (const [path, item] of changed) rows.set(path, item, last);
      });
      for (const [path] of changed) behind.delete(path);
    },
    remove: (path) => {
      rows.remove(path);
      behind.delete(path);
    },
    append: (beats, also) => {
      step(pass ?? (since.isDue() ? begin() : undefined), () => {
        groups.append(last + 1, beats);
        also();
      });
      last += 1;
      since.add(beats.keys());
      for (const path of beats.keys()) behind.add(path);
    },
    *catchUp() {
      const own = begin();
      while (pass === own) {
        step(own, () => undefined);
        yield;
      }
    },
  };
};
