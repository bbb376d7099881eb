import type { EpochMs } from '../../api/time.ts';
import type { ChangeFeed } from '../../ports/change-feed.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ControlStore } from '../../ports/control-store.ts';
import type { HeartbeatStore } from '../../ports/heartbeats.ts';
import type { ObjectLog } from '../../ports/object-log.ts';
import type { QueueConsumer, WorkQueues } from '../../ports/work-queue.ts';

export interface SqliteStateOptions {
  /** Made if it is not there. */
  readonly folder: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Hears in a sentence what was repaired, migrated or restored. */
  readonly onNotice?: (notice: string) => void;
  /** Milliseconds after which a repaired heartbeat item without beats expires; default 24 h. */
  readonly heartbeatRetentionMs?: number;
  readonly visibilityTimeoutMs?: number;
  readonly maxReceiveCount?: number;
}

/** The stored state of one control plane in one folder, for one process. Everything may throw `SqliteProblem`. */
export interface SqliteState {
  readonly log: ObjectLog;
  readonly heartbeats: HeartbeatStore;
  readonly control: ControlStore;
  /** `nextAt`: when the next message of any queue becomes visible (ms); `undefined`: there is none. */
  readonly queues: WorkQueues & QueueConsumer & { nextAt(): EpochMs | undefined };
  readonly feed: ChangeFeed;
  /** To be called each second: says that the process lived at `now`. */
  keepAlive(now: EpochMs): void;
  /** The last `keepAlive`, also of an earlier process; `undefined`: never one. Read it before the first `keepAlive`. */
  lastAlive(): EpochMs | undefined;
  /** To be called each second: makes beats durable, then acknowledged changes, and repairs what a full disk left undone. */
  checkpoint(): void;
  /** To be called each minute: removes what has expired at `now`, in small batches, and returns how many rows went. */
  sweep(now: EpochMs): Promise<number>;
  /** Writes a copy of everything to one new file while work goes on. Throws where the file exists. */
  backup(file: string): Promise<void>;
  /** Closes the files; nothing may be called afterwards. Later calls do nothing. */
  close(): void;
}

/** Opens the state of a folder, brings it to the newest version and repairs what a crash left undone. Throws `SqliteProblem`. */
export declare const openSqliteState: (options: SqliteStateOptions) => SqliteState;

/**
 * Puts a backup in the place of a folder's state, which is moved to a folder `replaced-…` beside it; no process may run on it.
 * At the next start revisions go on from the clock, so that none comes twice. Throws `SqliteProblem`.
 */
export declare const restoreSqliteState: (options: {
  readonly file: string;
  readonly folder: string;
  readonly clock: Pick<Clock, 'now'>;
}) => void;
