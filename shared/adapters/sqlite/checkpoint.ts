import type { HeartbeatMemory } from './beats/heartbeat-memory.ts';
import type { Database } from './file/database.ts';
import type { SqliteFeed } from './objects/change-feed.ts';
import type { SqliteQueues } from './queues/queues.ts';

/** Notes that a heartbeat item was not written beside a commit, so that the next checkpoint repairs it. */
export const createLostEffects = (reconcile: () => void, onNotice?: (notice: string) => void) => {
  let isLost = false;
  const note = (error: unknown): void => {
    isLost = true;
    onNotice?.(`a heartbeat item was not written; it is repaired within a second: ${String(error)}`);
  };
  const repair = (): void => {
    if (isLost) reconcile();
    isLost = false;
  };
  return { note, repair };
};

interface Checkpointed {
  readonly rows: HeartbeatMemory;
  readonly lostEffects: ReturnType<typeof createLostEffects>;
  readonly settle: SqliteFeed['settle'];
  readonly queues: SqliteQueues;
}

/** `settleAll`: stores the position of the feed with the messages that follow from it. `checkpoint`: the beats before that. */
export const createCheckpoint = (
  heartbeats: Database,
  { rows, lostEffects, settle, queues: { routed, storeRouted } }: Checkpointed,
) => {
  const settleAll = (): void => {
    settle(routed.size() > 0 ? storeRouted : undefined);
    routed.clear();
  };
  const checkpoint = (): void => {
    rows.save();
    lostEffects.repair();
    heartbeats.exec('PRAGMA wal_checkpoint(PASSIVE)');
    settleAll();
  };
  return { checkpoint, settleAll };
};
