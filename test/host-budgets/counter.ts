/** Counts what this process does with SQLite files, below the adapters: statements and transactions as the driver gets them, and inflations. */
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import zlib from 'node:zlib';

/** So much for each object of a case, or in all. */
export interface Counts {
  /** Transactions that end with a sync of the disk. */
  readonly synced: number;
  /** Other transactions that write; a statement that writes alone is one. */
  readonly other: number;
  readonly statements: number;
  /** Messages that are written into the file. */
  readonly messages: number;
  /** Stored objects that are unpacked. */
  readonly inflations: number;
}

interface Connection {
  isSynced: boolean;
  isOpen: boolean;
  hasWritten: boolean;
}

const WRITES = /^\s*(INSERT|UPDATE|DELETE|REPLACE)/i;
const MESSAGE = /^\s*INSERT INTO message\b/i;
const CALLS = ['run', 'get', 'all', 'iterate'] as const;

const zero = () => ({ synced: 0, other: 0, statements: 0, messages: 0, inflations: 0 });

/** Counts all connections that are opened from now on, until `restore`. Logs are not written to the files meanwhile, so that their size tells the bytes. */
export const startCounter = () => {
  let counts = zero();
  let isCounting = true;
  const connections = new WeakMap<DatabaseSync, Connection>();
  const ofStatement = new WeakMap<StatementSync, Connection>();
  const connectionOf = (database: DatabaseSync): Connection => {
    const known = connections.get(database) ?? { isSynced: true, isOpen: false, hasWritten: false };
    connections.set(database, known);
    return known;
  };
  const end = ({ isSynced }: Connection): void => {
    if (isCounting) counts[isSynced ? 'synced' : 'other'] += 1;
  };
  const noteExec = (connection: Connection, sql: string): void => {
    const [, mode] = /synchronous = (\w+)/.exec(sql) ?? [];
    if (mode !== undefined) connection.isSynced = mode === 'FULL';
    else if (sql.startsWith('BEGIN')) Object.assign(connection, { isOpen: true, hasWritten: false });
    else if (sql === 'COMMIT' || sql === 'ROLLBACK') {
      connection.isOpen = false;
      if (sql === 'COMMIT' && connection.hasWritten) end(connection);
    }
  };
  const noteStatement = (prepared: StatementSync): void => {
    const connection = ofStatement.get(prepared);
    if (!connection) return;
    const sql = prepared.sourceSQL;
    if (isCounting) counts.statements += 1;
    if (isCounting && MESSAGE.test(sql)) counts.messages += 1;
    if (!WRITES.test(sql)) return;
    if (connection.isOpen) connection.hasWritten = true;
    else end(connection);
  };

  const { exec, prepare } = DatabaseSync.prototype;
  type Call = (this: StatementSync, ...values: unknown[]) => unknown;
  const statement = StatementSync.prototype as unknown as Record<(typeof CALLS)[number], Call>;
  const calls = CALLS.map((name) => [name, statement[name]] as const);
  DatabaseSync.prototype.exec = function (sql) {
    noteExec(connectionOf(this), sql);
    exec.call(this, sql.replace(/wal_autocheckpoint = \d+/, 'wal_autocheckpoint = 0'));
  };
  DatabaseSync.prototype.prepare = function (sql) {
    const prepared = prepare.call(this, sql);
    ofStatement.set(prepared, connectionOf(this));
    return prepared;
  };
  for (const [name, call] of calls)
    statement[name] = function (...values) {
      noteStatement(this);
      return call.apply(this, values);
    };
  const { inflateRawSync } = zlib;
  zlib.inflateRawSync = (...given) => {
    if (isCounting) counts.inflations += 1;
    return inflateRawSync(...given);
  };
  // Modules that import the function by its name get this one.
  syncBuiltinESMExports();
  return {
    /** What was counted since the last call. */
    take: (): Counts => {
      const taken = counts;
      counts = zero();
      return taken;
    },
    /** Does `work` without counting it. */
    uncounted: <T>(work: () => T): T => {
      isCounting = false;
      try {
        return work();
      } finally {
        isCounting = true;
      }
    },
    restore: (): void => {
      Object.assign(DatabaseSync.prototype, { exec, prepare });
      Object.assign(zlib, { inflateRawSync });
      syncBuiltinESMExports();
      for (const [name, call] of calls) statement[name] = call;
    },
  };
};

export type Counter = ReturnType<typeof startCounter>;
