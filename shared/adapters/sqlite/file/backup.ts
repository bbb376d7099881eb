import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { ensurePrivateFile } from '../../system/private-files.ts';
import { problemOf } from './problem.ts';

/** More pages than any file has, so that one step copies all. */
const ALL_PAGES = 2 ** 31 - 1;

/** Copies the tables of `heartbeats.db` into a copy of `objects.db`. A file with these two tables is a backup. */
const ADD_HEARTBEATS = `
  PRAGMA journal_mode = DELETE;
  BEGIN;
  CREATE TABLE backup_item AS SELECT * FROM heartbeats.item;
  CREATE TABLE backup_alive AS SELECT * FROM heartbeats.alive;
  COMMIT;
  DETACH heartbeats`;

const addHeartbeats = (objects: string, heartbeats: string): void => {
  const connection = new DatabaseSync(objects);
  try {
    connection.prepare('ATTACH ? AS heartbeats').run(heartbeats);
    connection.exec(ADD_HEARTBEATS);
  } finally {
    connection.close();
  }
};

/**
 * Copies all pages in one step, on another thread, and so delays no request. With several steps each write would start the copy
 * anew. It uses a separate connection, because on the connection that writes it sometimes fails.
 */
const copy = async (source: string, target: string): Promise<void> => {
  const connection = new DatabaseSync(source, { readOnly: true });
  try {
    await backup(connection, target, { rate: ALL_PAGES });
  } finally {
    connection.close();
  }
};

const removeParts = (files: readonly string[]): void => {
  for (const file of files)
    for (const part of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${part}`, { force: true });
};

/**
 * Copies both files of a folder into one file, while writes continue. The two copies are from slightly different instants; the
 * next start reconciles them as after a crash. Throws if `file` exists, and `SqliteProblem`.
 */
export const writeBackup = async (folder: string, file: string): Promise<void> => {
  if (existsSync(file)) throw new Error(`${file} exists: give the name of a new file`);
  const parts = [`${file}.objects`, `${file}.heartbeats`] as const;
  removeParts(parts);
  try {
    for (const part of parts) ensurePrivateFile(part);
    await copy(`${folder}/objects.db`, parts[0]);
    await copy(`${folder}/heartbeats.db`, parts[1]);
    addHeartbeats(...parts);
    renameSync(parts[0], file);
  } catch (error) {
    throw problemOf(error, dirname(file));
  } finally {
    removeParts(parts);
  }
};
