/**
 * Requests of `rollcall` commands to the host, as files in the host's folder: a command writes `<id>.request`, the host answers
 * with `<id>.answer`. Only the owner of the folder can do this, and a command need not know the port.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ensurePrivateFolder } from '../shared/adapters/system/private-files.ts';
import { readIfThere, writePrivately } from '../shared/serving/machine/files.ts';
import type { HostLog } from '../shared/serving/machine/host-log.ts';
import { type Loop, startLoop } from '../shared/serving/machine/loop.ts';

/** Milliseconds between two looks for requests. */
const LOOK_MS = 200;

interface Request {
  readonly kind: 'backup';
  readonly file: string;
}

export interface RequestOutcome {
  /** Why the request failed, as a sentence for people; absent if it succeeded. */
  readonly error?: string;
}

export interface RequestHandlers {
  /** Writes a backup of the state to `file`. */
  readonly backup: (file: string) => Promise<void>;
}

const perform = async (text: string, handlers: RequestHandlers): Promise<RequestOutcome> => {
  try {
    const { kind, file } = JSON.parse(text) as Request;
    await handlers[kind](file);
    return {};
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
};

const answerAll = async (folder: string, handlers: RequestHandlers): Promise<void> => {
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.request'))) {
    const path = join(folder, name);
    const outcome = await perform(readFileSync(path, 'utf8'), handlers);
    writePrivately(path.replace(/request$/, 'answer'), JSON.stringify(outcome));
    rmSync(path, { force: true });
  }
};

/** Answers the requests of commands on this machine until the loop is stopped. */
export const serveAdminMailbox = (folder: string, handlers: RequestHandlers, hostLog: HostLog): Loop => {
  // Nobody waits any more for an answer to a request that an earlier process left.
  rmSync(folder, { recursive: true, force: true });
  ensurePrivateFolder(folder);
  return startLoop({
    everyMs: LOOK_MS,
    work: () => answerAll(folder, handlers),
    onError: (error) => hostLog.error('a request of a command on this machine failed', { error }),
  });
};

/** Sends a request to the host of a folder. Resolves to `undefined` if the host does not answer within `withinMs`. */
export const requestOfHost = async (
  folder: string,
  request: Request,
  withinMs: number,
): Promise<RequestOutcome | undefined> => {
  const path = join(folder, randomUUID());
  writePrivately(`${path}.request`, JSON.stringify(request));
  const until = performance.now() + withinMs;
  while (performance.now() < until) {
    await wait(LOOK_MS / 2);
    const answer = readIfThere(`${path}.answer`);
    if (answer === undefined) continue;
    rmSync(`${path}.answer`, { force: true });
    return JSON.parse(answer) as RequestOutcome;
  }
  rmSync(`${path}.request`, { force: true });
  return undefined;
};
