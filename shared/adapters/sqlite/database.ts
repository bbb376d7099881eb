import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { ensurePrivateFile } from '../system/private-files.ts';
import { namingProblems } from './problem.ts';

export type Value = string | number | null | Uint8Array;

/** A prepared statement; `Row` is what its columns are. */
export interface Statement<Row> {
  get(...values: readonly Value[]): Row | undefined;
  all(...values: readonly Value[]): readonly Row[];
  /** Returns how many rows changed. */
  run(...values: readonly Value[]): number;
}

/** One database file. All calls are synchronous; errors that the user can fix are thrown as `SqliteProblem`. */
export interface Database {
  prepare<Row = never>(sql: string): Statement<Row>;
  exec(sql: string): void;
  /** All of `work`'s writes or none. */
  inTransaction<T>(work: () => T): T;
  /**
   * For writes that a power failure may undo. They are not synced to disk at once, but keep their order: they become durable
   * together with the next synced write of the file.
   */
  relaxed<T>(work: () => T): T;
  close(): void;
}

interface DatabaseOptions {
  readonly folder: string;
  readonly file: string;
  /** `FULL`: synced by each commit. `NORMAL`: by each checkpoint; a killed process loses nothing by it. */
  readonly synchronous: 'FULL' | 'NORMAL';
}

const prepared = <Row>(connection: DatabaseSync, folder: string, sql: string): Statement<Row> => {
  const statement = namingProblems(folder, () => connection.prepare(sql));
  const named = <T>(work: () => T): T => namingProblems(folder, work);
  return {
    get: (...values) => named(() => statement.get(...values) as Row | undefined),
    all: (...values) => named(() => statement.all(...values) as unknown as readonly Row[]),
    run: (...values) => named(() => Number(statement.run(...values).changes)),
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

/** The file, and the logs beside it that an earlier process has left. */
const filesOf = (path: string): readonly string[] => [
  path,
  ...[`${path}-wal`, `${path}-shm`].filter((log) => existsSync(log)),
];

/** Opens or makes one file in WAL mode. */
export const openDatabase = ({ folder, file, synchronous }: DatabaseOptions): Database => {
  const named = <T>(work: () => T): T => namingProblems(folder, work);
  const connection = named(() => {
    // SQLite gives its logs beside the file the mode of the file.
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
