import type { EpochMs } from '../../kube/values/time.ts';
import type { AddressStore } from '../../ports/store/addresses.ts';
import type { BeatsAtOnce } from '../../ports/store/beats-at-once.ts';
import type { CapacityStore } from '../../ports/store/capacity.ts';
import type { CapacitySweepStore } from '../../ports/store/capacity-sweep.ts';
import type { ChangeFeed } from '../../ports/store/change-feed.ts';
import type { AbsenceBook, ControlStore } from '../../ports/store/control-store.ts';
import type { HeartbeatStore } from '../../ports/store/heartbeats.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';
import type { OwnerEdgeStore } from '../../ports/store/owner-edges.ts';
import type { OwnerTurnStore } from '../../ports/store/owner-turns.ts';
import { createAddressStore } from '../in-process/addresses.ts';
import { createCapacityStore } from '../in-process/capacity.ts';
import { createCapacitySweepStore } from '../in-process/capacity-sweep.ts';
import { createBeatsAtOnce } from '../in-process/heartbeat-store.ts';
import { createOwnerEdgeStore } from '../in-process/owner-edges.ts';
import { createOwnerTurnStore } from '../in-process/owner-turns.ts';
import { type Alive, createAlive } from './beats/alive.ts';
import { createHeartbeatMemory } from './beats/heartbeat-memory.ts';
import { createSqliteHeartbeatStore } from './beats/heartbeat-store.ts';
import { reconcileHeartbeats } from './beats/reconcile-heartbeats.ts';
import { createCheckpoint, createLostEffects } from './checkpoint.ts';
import { writeBackup } from './file/backup.ts';
import { createStateFigures, type StateFigures } from './file/state-figures.ts';
import { atOnce, inTurns } from './file/turns.ts';
import { type Files, openFiles } from './files.ts';
import { createCommitMemory, type MemoryLimits } from './memory/commit-memory.ts';
import { createMove } from './move-instants.ts';
import { createAddressTables } from './objects/addresses.ts';
import { createCapacityTables } from './objects/capacity.ts';
import { createSqliteFeed } from './objects/change-feed.ts';
import { createSqliteControlStore } from './objects/control-store.ts';
import { createNoticeStore, type NoticeStore } from './objects/notices.ts';
import { createSqliteObjectStore, type SqliteObjectStore } from './objects/object-store.ts';
import { createEdgeTables } from './objects/owner-edges.ts';
import { createTurnTable, releaseTurns } from './objects/owner-turns.ts';
import { createTokenUseTable } from './objects/token-uses.ts';
import { createSqliteQueues, type SqliteQueueOptions, type SqliteQueues } from './queues/queues.ts';
import { createSweep } from './sweep.ts';

const DAY_MS = 24 * 3_600_000;

/** Which folder to open, and how. */
export interface SqliteStateOptions extends SqliteQueueOptions {
  /** The folder; it is created if it is missing. */
  readonly folder: string;
  /** Called with a sentence for each migration, restore or repair. */
  readonly onNotice?: (notice: string) => void;
  /** Milliseconds after which a repaired heartbeat item without beats expires; default 24 h. */
  readonly heartbeatRetentionMs?: number;
  /** Default: 8,192 commits, and 8 MB of text. */
  readonly memory?: MemoryLimits;
}

/** The stored state of one control plane in one folder, for one process. Every method may throw `SqliteProblem`. */
export interface SqliteState extends Alive {
  readonly objects: ObjectStore;
  /** See `SqliteObjectStore`. */
  readonly commitTogether: SqliteObjectStore['commitTogether'];
  readonly heartbeats: HeartbeatStore;
  /** The beats of `heartbeats`, in the same turn of the event loop. */
  readonly beatsAtOnce: BeatsAtOnce;
  readonly control: ControlStore;
  readonly absences: AbsenceBook;
  readonly capacity: CapacityStore;
  readonly capacitySweep: CapacitySweepStore;
  readonly ownerEdges: OwnerEdgeStore;
  readonly ownerTurns: OwnerTurnStore;
  readonly addresses: AddressStore;
  readonly queues: SqliteQueues;
  /** Lets go of what an earlier process had in hand: messages, and turns of owners. Call it before the controllers start. */
  release(): void;
  readonly feed: ChangeFeed;
  /** Events that wait for their sinks. */
  readonly notices: NoticeStore;
  /**
   * Beats that an earlier process answered before this instant (ms) may be lost, because it ended irregularly; `undefined` if none
   * are.
   */
  beatsLostBefore(): EpochMs | undefined;
  /** How many nodes that an earlier process has heard have been heard by this one. */
  heardAgain(): number;
  /** Call it when the clock was set: shifts every stored instant by `byMs` milliseconds, including `lastAlive`, synchronously. */
  moveInstants(byMs: number): void;
  /**
   * Call it each second: writes the beats that are in memory only and makes them durable, then stores the acknowledged position of the feed with the messages
   * that follow from it and wait still. It also repairs writes of heartbeat items that failed, for example on a full disk.
   */
  checkpoint(): void;
  /** Acknowledges all changes, so that the next `checkpoint` deletes them; for a process that does not read the feed. */
  discardChanges(): void;
  /** Call it each minute: removes rows that have expired at `now`, in small batches, and returns their number. */
  sweep(now: EpochMs): Promise<number>;
  /** What waits in the files, and how large they are. */
  figures(now: EpochMs): Promise<StateFigures>;
  /** Writes a copy of the state to a new file, while requests continue. Throws if the file exists. */
  backup(file: string): Promise<void>;
  /** Closes the files. Afterwards only `close` may be called. */
  close(): void;
}

const reconciler = (
  files: Files,
  { clock, onNotice, heartbeatRetentionMs: retentionMs = DAY_MS }: SqliteStateOptions,
) => {
  const rows = createHeartbeatMemory(files.heartbeats);
  const reconcile = (): void => {
    const count = reconcileHeartbeats({ objects: files.objects, rows, retentionMs }, clock.now());
    if (count > 0) onNotice?.(`${count} heartbeat items did not agree with their Nodes and were repaired`);
  };
  return { rows, reconcile };
};

/** Owner turns. A power failure ends all runs, so it may undo their turns. */
const ownerTurnsIn = (objects: Files['objects'], turns: ReturnType<typeof createTurnTable>) =>
  createOwnerTurnStore({
    turns,
    together: (work) => objects.relaxed(() => objects.inTransaction(work)),
  });

/** What commits write besides objects and their log. */
const tablesIn = (objects: Files['objects']) => ({
  capacity: createCapacityTables(objects),
  edges: createEdgeTables(objects),
  turns: createTurnTable(objects),
  addresses: createAddressTables(objects),
  tokenUses: createTokenUseTable(objects),
});

/** Creates the state on open files and repairs the effects of a crash. */
export const sqliteStateOn = (files: Files, options: SqliteStateOptions): SqliteState => {
  const { objects, heartbeats } = files;
  const { rows, reconcile } = reconciler(files, options);
  reconcile();
  const lostEffects = createLostEffects(reconcile, options.onNotice);
  const memory = createCommitMemory(objects, options.memory);
  const { feed, writer, settle, discard, isBehindStart } = createSqliteFeed(objects, memory.recent);
  const tables = tablesIn(objects);
  const { capacity, edges, turns, addresses } = tables;
  const queues = createSqliteQueues(objects, { ...options, isBehindStart, onFull: () => checkpoint() });
  const { checkpoint, settleAll } = createCheckpoint(heartbeats, { rows, lostEffects, settle, queues });
  const { nodeUid, row, forget, removed, ...objectLog } = createSqliteObjectStore({
    objects,
    ...tables,
    heartbeats: rows,
    feed: writer,
    ...memory,
    onEffectLost: lostEffects.note,
  });
  const move = createMove(files);
  const together = <T>(work: () => T): T => objects.inTransaction(work);
  return {
    ...objectLog,
    heartbeats: createSqliteHeartbeatStore(rows, { nodeUid, row }),
    beatsAtOnce: createBeatsAtOnce({ heartbeats: rows, nodeUid, row }),
    ...createSqliteControlStore(objects, () => memory.numbers.stored().get('nodes') ?? 0),
    capacitySweep: createCapacitySweepStore({ tables: capacity, together }),
    ownerEdges: createOwnerEdgeStore(edges),
    capacity: createCapacityStore({ tables: capacity, row, together }),
    addresses: createAddressStore({ tables: addresses, row, together }),
    ownerTurns: ownerTurnsIn(objects, turns),
    queues,
    release: () => {
      queues.release();
      releaseTurns(objects);
    },
    feed,
    notices: createNoticeStore(objects),
    discardChanges: discard,
    ...createAlive(heartbeats),
    beatsLostBefore: rows.lostBefore,
    heardAgain: rows.heardAgain,
    moveInstants: (byMs) => {
      atOnce(rows.saveRows());
      move(byMs);
      forget();
      queues.move(byMs);
      rows.load();
    },
    checkpoint,
    sweep: createSweep(objects, rows, { removed, forgetBefore: memory.recent.forgetBefore }),
    figures: createStateFigures(objects, feed, queues.routed, options.folder),
    backup: async (file) => {
      await inTurns(rows.saveRows());
      await writeBackup(options.folder, file);
    },
    close: () => {
      if (files.isOpen()) {
        rows.end();
        settleAll();
      }
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
