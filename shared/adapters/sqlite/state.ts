import type { EpochMs } from '../../api/time.ts';
import type { ChangeFeed } from '../../ports/change-feed.ts';
import type { MachineTime } from '../../ports/clock.ts';
import type { ControlStore } from '../../ports/control-store.ts';
import type { HeartbeatStore } from '../../ports/heartbeats.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import { writeBackup } from './backup.ts';
import { createSqliteFeed } from './change-feed.ts';
import { createSqliteControlStore } from './control-store.ts';
import { type Files, openFiles } from './files.ts';
import { createHeartbeatRows } from './heartbeat-items.ts';
import { createSqliteHeartbeatStore } from './heartbeat-store.ts';
import { createMove } from './move-instants.ts';
import { createSqliteObjectStore, type SqliteObjectStore } from './object-store.ts';
import { createSqliteQueues, type SqliteQueueOptions, type SqliteQueues } from './queues.ts';
import { reconcileHeartbeats } from './reconcile-heartbeats.ts';
import { createSweep } from './sweep.ts';

const DAY_MS = 24 * 3_600_000;

export interface SqliteStateOptions extends SqliteQueueOptions {
  /** The folder; it is created if it is missing. */
  readonly folder: string;
  /** Called with a sentence for each migration, restore or repair. */
  readonly onNotice?: (notice: string) => void;
  /** Milliseconds after which a repaired heartbeat item without beats expires; default 24 h. */
  readonly heartbeatRetentionMs?: number;
}

/** The stored state of one control plane in one folder, for one process. Everything may throw `SqliteProblem`. */
export interface SqliteState {
  readonly objects: ObjectStore;
  /** See `SqliteObjectStore`. */
  readonly commitTogether: SqliteObjectStore['commitTogether'];
  readonly heartbeats: HeartbeatStore;
  readonly control: ControlStore;
  readonly queues: SqliteQueues;
  readonly feed: ChangeFeed;
  /** Call it each second: stores that the process was alive at `now`, with the time since boot. */
  keepAlive(now: EpochMs, machine?: MachineTime): void;
  /** The last `keepAlive`, also of an earlier process; `undefined`: never one. Read it before the first `keepAlive`. */
  lastAlive(): EpochMs | undefined;
  /** The `machine` of the last `keepAlive`. */
  lastMachineTime(): MachineTime | undefined;
  /** Call it when the clock was set: shifts every stored instant by `byMs` (ms), also `lastAlive`, synchronously. */
  moveInstants(byMs: number): void;
  /** Call it each second: makes beats durable, then acknowledged changes, and repairs writes that a full disk prevented. */
  checkpoint(): void;
  /** For a process without a reader of the feed: acknowledges all changes, so that the next `checkpoint` deletes them. */
  discardChanges(): void;
  /** Call it each minute: removes rows that have expired at `now`, in small batches, and returns their number. */
  sweep(now: EpochMs): Promise<number>;
  /** Writes a copy of the state to a new file; requests continue meanwhile. Throws if the file exists. */
  backup(file: string): Promise<void>;
  /** Closes the files; nothing may be called afterwards but `close`. */
  close(): void;
}

interface AliveColumns {
  readonly at: EpochMs;
  readonly uptime: number | null;
  readonly boot: string | null;
}

const aliveIn = ({ heartbeats }: Files): Pick<SqliteState, 'keepAlive' | 'lastAlive' | 'lastMachineTime'> => {
  // In the file with the beats, so that a power failure cannot keep the instant and lose its beats.
  const read = heartbeats.prepare<AliveColumns>('SELECT at, uptime, boot FROM alive');
  const put = heartbeats.prepare('INSERT OR REPLACE INTO alive (id, at, uptime, boot) VALUES (1, ?, ?, ?)');
  return {
    lastAlive: () => read.get()?.at,
    keepAlive: (now, machine) => put.run(now, machine?.uptimeMs ?? null, machine?.bootId ?? null),
    lastMachineTime: () => {
      const { uptime, boot } = read.get() ?? {};
      if (typeof uptime !== 'number') return undefined;
      return { uptimeMs: uptime, ...(typeof boot === 'string' ? { bootId: boot } : {}) };
    },
  };
};

const reconciler = (
  files: Files,
  { clock, onNotice, heartbeatRetentionMs: retentionMs = DAY_MS }: SqliteStateOptions,
) => {
  const rows = createHeartbeatRows(files.heartbeats);
  const reconcile = (): void => {
    const count = reconcileHeartbeats({ ...files, rows, retentionMs }, clock.now());
    if (count > 0) onNotice?.(`heartbeat items that did not agree with their Nodes: ${count}, repaired`);
  };
  return { rows, reconcile };
};

/** The state on open files; repairs the effects of a crash. */
export const sqliteStateOn = (files: Files, options: SqliteStateOptions): SqliteState => {
  const { objects, heartbeats } = files;
  const { rows, reconcile } = reconciler(files, options);
  reconcile();
  let isEffectLost = false;
  const onEffectLost = (error: unknown): void => {
    isEffectLost = true;
    options.onNotice?.(`a heartbeat item was not written and is repaired within a second: ${String(error)}`);
  };
  const { feed, writer, settle, discard } = createSqliteFeed(objects);
  const { nodeUid, ...objectLog } = createSqliteObjectStore({
    objects,
    heartbeats: rows,
    feed: writer,
    onEffectLost,
  });
  return {
    ...objectLog,
    heartbeats: createSqliteHeartbeatStore(rows, nodeUid),
    control: createSqliteControlStore(objects),
    queues: createSqliteQueues(objects, options),
    feed,
    ...aliveIn(files),
    moveInstants: createMove(files),
    checkpoint: () => {
      if (isEffectLost) reconcile();
      isEffectLost = false;
      heartbeats.exec('PRAGMA wal_checkpoint(PASSIVE)');
      settle();
    },
    discardChanges: discard,
    sweep: createSweep(objects, heartbeats),
    backup: (file) => writeBackup(options.folder, file),
    close: () => {
      if (files.isOpen()) settle();
      files.close();
    },
  };
};

/** Opens the state of a folder, migrates it to the newest version and repairs the effects of a crash. Throws `SqliteProblem`. */
export const openSqliteState = (options: SqliteStateOptions): SqliteState => {
  const files = openFiles(options);
  try {
    return sqliteStateOn(files, options);
  } catch (error) {
    files.close();
    throw error;
  }
};
