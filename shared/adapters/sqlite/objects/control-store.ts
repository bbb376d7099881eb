import type {
  AbsenceBook,
  ControlStore,
  PassRecord,
  PodDeadline,
  Sighting,
  ZoneRecord,
} from '../../../ports/store/control-store.ts';
import type { HoldBook } from '../../../rules/holds/hold-book.ts';
import { createAbsenceBook, createControlStore } from '../../in-process/control-store.ts';
import type { ControlTables } from '../../in-process/tables.ts';
import type { Database } from '../file/database.ts';

interface Body {
  readonly body: string;
}

const parsed = <T>(found: Body | undefined): T | undefined =>
  found === undefined ? undefined : (JSON.parse(found.body) as T);

const zonesIn = (objects: Database): ControlTables['zones'] => {
  const get = objects.prepare<Body>('SELECT body FROM zone WHERE id = ?');
  const set = objects.prepare('INSERT OR REPLACE INTO zone (id, body) VALUES (?, ?)');
  const remove = objects.prepare('DELETE FROM zone WHERE id = ?');
  const all = objects.prepare<Body>('SELECT body FROM zone ORDER BY id');
  return {
    get: (id) => parsed<ZoneRecord>(get.get(id)),
    set: (id, zone) => set.run(id, JSON.stringify(zone)),
    delete: (id) => remove.run(id),
    values: () => all.all().map(({ body }) => JSON.parse(body) as ZoneRecord),
  };
};

const deadlinesIn = (objects: Database): ControlTables['deadlines'] => {
  const get = objects.prepare<Body>('SELECT body FROM deadline WHERE path = ?');
  const set = objects.prepare(
    'INSERT OR REPLACE INTO deadline (path, fire_at, body, expires_at) VALUES (?, ?, ?, ?)',
  );
  const remove = objects.prepare('DELETE FROM deadline WHERE path = ?');
  const due = objects.prepare<Body>('SELECT body FROM deadline WHERE fire_at <= ? ORDER BY fire_at');
  return {
    get: (path) => parsed<PodDeadline>(get.get(path)),
    set: (path, deadline, expiresAt) => set.run(path, deadline.fireAt, JSON.stringify(deadline), expiresAt),
    delete: (path) => remove.run(path),
    due: (before) => due.all(before).map(({ body }) => JSON.parse(body) as PodDeadline),
  };
};

const sightingsIn = (objects: Database): ControlTables['sightings'] => {
  const get = objects.prepare<Body>('SELECT body FROM sighting WHERE topic = ? AND name = ?');
  const set = objects.prepare(`INSERT INTO sighting (topic, name, body) VALUES (?, ?, ?)
    ON CONFLICT (topic, name) DO UPDATE SET body = excluded.body`);
  const remove = objects.prepare('DELETE FROM sighting WHERE topic = ? AND name = ?');
  const of = objects.prepare<Body>('SELECT body FROM sighting WHERE topic = ? AND name BETWEEN ? AND ?');
  return {
    get: ({ topic, name }) => parsed<Sighting>(get.get(topic, name)),
    set: (sighting) => set.run(sighting.topic, sighting.name, JSON.stringify(sighting)),
    delete: ({ topic, name }) => remove.run(topic, name),
    of: (topic, prefix) =>
      of.all(topic, prefix, `${prefix}\u{10FFFF}`).map(({ body }) => JSON.parse(body) as Sighting),
  };
};

/** The control store in tables of `objects.db`, and the absences. Each method is one transaction. */
export const createSqliteControlStore = (
  objects: Database,
  counter: ControlTables['counter'],
): { readonly control: ControlStore; readonly absences: AbsenceBook } => {
  const get = objects.prepare<Body>('SELECT body FROM pass');
  const set = objects.prepare('INSERT OR REPLACE INTO pass (id, body) VALUES (1, ?)');
  const getBook = objects.prepare<Body>('SELECT body FROM hold_book');
  const setBook = objects.prepare('INSERT OR REPLACE INTO hold_book (id, body) VALUES (1, ?)');
  const tables: ControlTables = {
    zones: zonesIn(objects),
    deadlines: deadlinesIn(objects),
    sightings: sightingsIn(objects),
    together: (work) => objects.inTransaction(work),
    counter,
    get pass() {
      return parsed<PassRecord>(get.get());
    },
    set pass(pass) {
      set.run(JSON.stringify(pass));
    },
    get holds() {
      return parsed<HoldBook>(getBook.get());
    },
    set holds(book) {
      setBook.run(JSON.stringify(book));
    },
  };
  return { control: createControlStore(tables), absences: createAbsenceBook(tables) };
};
