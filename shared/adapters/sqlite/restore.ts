import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, readdirSync, renameSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { EpochMs } from '../../kube/values/time.ts';
import type { Clock } from '../../ports/process/clock.ts';
import { ensurePrivateFile, ensurePrivateFolder } from '../system/private-files.ts';
import { ITEM_COLUMNS } from './beats/heartbeat-items.ts';
import type { Database } from './file/database.ts';
import { lockFolder } from './file/folder-lock.ts';
import { NEWEST } from './file/migrate.ts';
import { namingProblems, SqliteProblem } from './file/problem.ts';

/** Name of a backup that will replace the state. If a restore is interrupted after this file exists, the next start finishes it. */
const WAITING = 'objects.db.restoring';

const checkBackup = (file: string): void => {
  if (!existsSync(file)) throw new SqliteProblem('notABackup', file);
  const connection = namingProblems(file, () => new DatabaseSync(file, { readOnly: true }));
  const read = (sql: string) =>
    namingProblems(file, () => Object.values(connection.prepare(sql).get() ?? {})[0]);
  try {
    if (read("SELECT name FROM sqlite_schema WHERE name = 'backup_item'") === undefined)
      throw new SqliteProblem('notABackup', file);
    if (Number(read('PRAGMA user_version')) > NEWEST) throw new SqliteProblem('newer', file);
    if (read('PRAGMA quick_check') !== 'ok') throw new SqliteProblem('damaged', file);
  } finally {
    connection.close();
  }
};

const isState = (name: string): boolean => /^(objects|heartbeats)\.db(-wal|-shm)?$/.test(name);

/**
 * Replaces the state by a backup whose restore was begun, and returns whether there was one. The old state is moved to the
 * subfolder `replaced-<now>`. Throws `SqliteProblem`.
 */
export const finishRestore = (folder: string, now: EpochMs): boolean =>
  namingProblems(folder, () => {
    if (!existsSync(`${folder}/${WAITING}`)) return false;
    const aside = `${folder}/replaced-${now}`;
    ensurePrivateFolder(aside);
    for (const name of readdirSync(folder).filter(isState))
      renameSync(`${folder}/${name}`, `${aside}/${name}`);
    renameSync(`${folder}/${WAITING}`, `${folder}/objects.db`);
    return true;
  });

const copyDurably = (from: string, to: string): void => {
  copyFileSync(from, `${to}.part`);
  ensurePrivateFile(`${to}.part`);
  const copy = openSync(`${to}.part`, 'r+');
  fsyncSync(copy);
  closeSync(copy);
  renameSync(`${to}.part`, to);
};

/** Which backup replaces the state of which folder. */
export interface RestoreOptions {
  /** A file that `writeBackup` wrote. */
  readonly file: string;
  readonly folder: string;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Replaces a folder's state by a backup. The old state is moved to a subfolder `replaced-…`. At the next start revisions
 * continue from the current time, so that none is used twice. Throws `SqliteProblem`, also while another process uses the folder.
 */
export const restoreSqliteState = ({ file, folder, clock }: RestoreOptions): void => {
  checkBackup(file);
  const lock = lockFolder(folder);
  try {
    namingProblems(folder, () => copyDurably(file, `${folder}/${WAITING}`));
    finishRestore(folder, clock.now());
  } finally {
    lock.release();
  }
};

const COLUMNS = ITEM_COLUMNS.join(', ');

/** Raises the versions of Leases, as the revisions of objects, so that a version that a client has seen never gets other content. */
const SELECT_ITEMS = `SELECT ${COLUMNS.replace(' version,', ' CASE WHEN version IS NULL THEN NULL ELSE max(version + 1, ?) END AS version,')}
  FROM backup_item`;

const restoreHeartbeats = (objects: Database, heartbeats: Database, now: EpochMs): void => {
  const put = heartbeats.prepare(
    `INSERT INTO item (${COLUMNS}) VALUES (${ITEM_COLUMNS.map(() => '?').join(', ')})`,
  );
  const putAlive = heartbeats.prepare('INSERT OR REPLACE INTO alive (id, at) VALUES (1, ?)');
  const items = objects
    .prepare<Readonly<Record<(typeof ITEM_COLUMNS)[number], string | number | null>>>(SELECT_ITEMS)
    .all(now);
  const alive = objects.prepare<{ at: EpochMs }>('SELECT at FROM backup_alive').get();
  heartbeats.inTransaction(() => {
    heartbeats.exec('DELETE FROM item; DELETE FROM beat');
    for (const item of items) put.run(...ITEM_COLUMNS.map((name) => item[name]));
    if (alive) putAlive.run(alive.at);
  });
  heartbeats.exec('PRAGMA wal_checkpoint(TRUNCATE)');
};

const isBackup = (objects: Database): boolean =>
  objects.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'backup_item'").get() !== undefined;

/**
 * If `objects.db` is a backup: moves its heartbeat items to `heartbeats.db` and sets counters and floors to `now` (ms), which is
 * higher than every revision taken since the backup. Watches from before the restore are then below the floor and get 410
 * `Expired`. Returns whether it was a backup.
 */
export const adoptBackup = (objects: Database, heartbeats: Database, now: EpochMs): boolean => {
  if (!isBackup(objects)) return false;
  restoreHeartbeats(objects, heartbeats, now);
  objects.inTransaction(() => {
    const next = `max(counter, ${now})`;
    objects.exec(`UPDATE counter SET counter = ${next}, watermarks = '[]', seed = ${next}`);
    objects.exec('DELETE FROM sample; DROP TABLE backup_item; DROP TABLE backup_alive');
  });
  return true;
};
