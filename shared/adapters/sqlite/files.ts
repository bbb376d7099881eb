import type { Clock } from '../../ports/process/clock.ts';
import { type Database, openDatabase } from './file/database.ts';
import { lockFolder } from './file/folder-lock.ts';
import { migrate, versionOf } from './file/migrate.ts';
import { SqliteProblem } from './file/problem.ts';
import { adoptBackup, finishRestore } from './restore.ts';

/** Both open files of a folder, migrated to the newest version and locked for this process. */
export interface Files {
  readonly objects: Database;
  readonly heartbeats: Database;
  isOpen(): boolean;
  close(): void;
}

interface FileOptions {
  readonly folder: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly onNotice?: (notice: string) => void;
}

/** Pages of the write-ahead log (40 MB) after which SQLite itself writes the beats to the file. */
const HEARTBEATS_AUTO_CHECKPOINT = 10_000;
/**
 * Pages of the write-ahead log (16 MB) after which SQLite writes objects to the file. With its own 1,000, two or three groups of commits have
 * a checkpoint each; with many more, a checkpoint would hold up requests for longer.
 */
const OBJECTS_AUTO_CHECKPOINT = 4_000;

type Opened = Pick<Files, 'objects' | 'heartbeats'>;

const prepareFiles = ({ objects, heartbeats }: Opened, { folder, clock, onNotice }: FileOptions): void => {
  // `objects.db` is created first, so beats without objects mean that this file was lost or emptied.
  if (versionOf(objects) === 0 && versionOf(heartbeats) > 0) throw new SqliteProblem('damaged', folder);
  const { from, to } = migrate(objects, 'objects', folder);
  migrate(heartbeats, 'heartbeats', folder);
  if (from > 0 && from < to) onNotice?.(`the database was migrated from version ${from} to ${to}`);
  objects.exec(`PRAGMA wal_autocheckpoint = ${OBJECTS_AUTO_CHECKPOINT}`);
  heartbeats.exec(`PRAGMA wal_autocheckpoint = ${HEARTBEATS_AUTO_CHECKPOINT}`);
  if (adoptBackup(objects, heartbeats, clock.now()))
    onNotice?.('a backup was restored: clients list again, and revisions continue from the current time');
};

const openBoth = (folder: string): Opened => {
  const objects = openDatabase({ folder, file: 'objects.db', synchronous: 'FULL' });
  try {
    return { objects, heartbeats: openDatabase({ folder, file: 'heartbeats.db', synchronous: 'NORMAL' }) };
  } catch (error) {
    objects.close();
    throw error;
  }
};

const openLocked = (options: FileOptions): Opened => {
  finishRestore(options.folder, options.clock.now());
  const opened = openBoth(options.folder);
  try {
    prepareFiles(opened, options);
    return opened;
  } catch (error) {
    opened.objects.close();
    opened.heartbeats.close();
    throw error;
  }
};

/** Locks the folder and opens its files. Throws `SqliteProblem`. */
export const openFiles = (options: FileOptions): Files => {
  const lock = lockFolder(options.folder);
  try {
    const { objects, heartbeats } = openLocked(options);
    let isOpen = true;
    return {
      objects,
      heartbeats,
      isOpen: () => isOpen,
      close: () => {
        if (!isOpen) return;
        isOpen = false;
        heartbeats.close();
        objects.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
};
