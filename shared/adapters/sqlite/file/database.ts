import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { ensurePrivateFile } from '../../system/private-files.ts';
import { namingProblems } from './problem.ts';

/** A value that a column can hold. */
export type Value = string | number | null | Uint8Array;

/** A prepared statement. `Row` is the type of its result rows. */
export interface Statement<Row> {
  get(...values: readonly Value[]): Row | undefined;
  all(...values: readonly Value[]): readonly Row[];
  /** Reads one row at a time. Write nothing before the last row was taken, or the iterator was closed. */
  iterate(...values: readonly Value[]): Iterable<Row>;
  /** Returns the number of changed rows. */
  run(...values: readonly Value[]): number;
  /** Inserts one row, and returns its `rowid`. */
  insert(...values: readonly Value[]): number;
}

/** One database file. All calls are synchronous; errors that the user can fix are thrown as `SqliteProblem`. */
export interface Database {
  prepare<Row = never>(sql: string): Statement<Row>;
  exec(sql: string): void;
  /** Carries out all of `work`'s writes, or none if it throws. */
  inTransaction<T>(work: () => T): T;
  /**
   * Carries out writes that a power failure may undo. They are not synced to disk at once, but they keep their order: they become
   * durable together with the next synced write of the file.
   */
  relaxed<T>(work: () => T): T;
  close(): void;
}

interface DatabaseOptions {
  readonly folder: string;
  readonly file: string;
  /** `FULL`: each commit is synced. `NORMAL`: each checkpoint is synced; a power failure may lose commits, a killed process none. */
  readonly synchronous: 'FULL' | 'NORMAL';
}

const prepared = <Row>(connection: DatabaseSync, folder: string, sql: string): Statement<Row> => {
  const statement = namingProblems(folder, () => connection.prepare(sql));
  const named = <T>(work: () => T): T => namingProblems(folder, work);
  return {
    get: (...values) => named(() => statement.get(...values) as Row | undefined),
    all: (...values) => named(() => statement.all(...values) as unknown as readonly Row[]),
    *iterate(...values) {
      const rows = named(() => statement.iterate(...values));
      try {
        for (let row = named(() => rows.next()); !row.done; row = named(() => rows.next()))
          yield row.value as Row;
      } finally {
        rows.return?.();
      }
    },
    run: (...values) => named(() => Number(statement.run(...values).changes)),
    insert: (...values) => named(() => Number(statement.run(...values).lastInsertRowid)),
  };
};

const transaction = <T>(connection: DatabaseSync, work: () => T): T => {
  connection.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    connection.exec('COMMIT');
    return result;
  } catch (error) {
    // A full disk may have ended the transaction already.
    if (connection.isTransaction) connection.exec('ROLLBACK');
    throw error;
  }
};

/** The file, and the logs that an earlier process has left beside it. */
const filesOf = (path: string): readonly string[] => [
  path,
  ...[`${path}-wal`, `${path}-shm`].filter((log) => existsSync(log)),
];

/** Opens one file in WAL mode and creates it if it is missing. Throws `SqliteProblem`. */
export const openDatabase = ({ folder, file, synchronous }: DatabaseOptions): Database => {
  const named = <T>(work: () => T): T => namingProblems(folder, work);
  const connection = named(() => {
    // SQLite creates its logs with the same mode as the file.
    for (const path of filesOf(`${folder}/${file}`)) ensurePrivateFile(path);
    return new DatabaseSync(`${folder}/${file}`);
  });
  const relaxed = <T>(work: () => T): T => {
    connection.exec('PRAGMA synchronous = NORMAL');
    try {
      return work();
    } finally {
      connection.exec(`PRAGMA synchronous = ${synchronous}`);
    }
  };
  const begin = `PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; BEGIN IMMEDIATE; ROLLBACK`;
  try {
    // SQLite opens a read-only file without an error; only taking the write lock fails.
    named(() => connection.exec(begin));
  } catch (error) {
    connection.close();
    throw error;
  }
  return {
    prepare: (sql) => prepared(connection, folder, sql),
    exec: (sql) => named(() => connection.exec(sql)),
    inTransaction: (work) => named(() => transaction(connection, work)),
    relaxed,
    close: () => named(() => connection.close()),
  };
};
