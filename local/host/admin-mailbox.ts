/** A letter box in the host's folder: only its owner can put something in, and no port has to be found. */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ensurePrivateFolder } from '../../shared/adapters/system/private-files.ts';
import { readIfThere, writePrivately } from '../serving/files.ts';
import type { HostLog } from '../serving/host-log.ts';
import { type Loop, startLoop } from '../serving/loop.ts';

const LOOK_MS = 200;

interface Request {
  readonly kind: 'backup';
  readonly file: string;
}

/** `error` is a sentence for people. */
export interface RequestOutcome {
  readonly error?: string;
}

export interface RequestHandlers {
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

/** Answers what commands of this machine ask for. */
export const serveAdminMailbox = (folder: string, handlers: RequestHandlers, hostLog: HostLog): Loop => {
  // What an earlier process did not answer nobody waits for any more.
  rmSync(folder, { recursive: true, force: true });
  ensurePrivateFolder(folder);
  return startLoop({
    everyMs: LOOK_MS,
    work: () => answerAll(folder, handlers),
    onError: (error) => hostLog.error('a request of this machine failed', { error }),
  });
};

/** Asks the host of the folder; `undefined`: it did not answer within `withinMs`. */
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
