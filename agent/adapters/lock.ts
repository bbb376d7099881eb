/**
 * One process for each folder. The lock belongs to the open file `lock`, not to a process: `flock` locks it for its parent, and the kernel
 * lets it go when the parent has ended, however that ends. No other user can open a file of the closed folder, and so none can take the lock.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, fchmodSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { markIn } from '../rules/machine/process-mark.ts';
import { isAlive, ownMark } from './linux/processes.ts';

/** Exit code of `flock --nonblock`: another open file has the lock. */
const TAKEN = 1;
const MARK_BYTES = 64;
const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;

/** A lock that this process has. */
export interface Lock {
  close(): void;
}

/** Another process has it. `pid`: which, if that is known. */
export interface LockHolder {
  readonly pid?: number;
}

/** No other child gets the descriptor. */
const lockOpen = async (flock: string, descriptor: number): Promise<boolean> => {
  const child = spawn(flock, ['--nonblock', '3'], { stdio: ['ignore', 'ignore', 'pipe', descriptor] });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(0, 1024);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return true;
  if (code === TAKEN && said === '') return false;
  throw new Error(`${flock} failed with ${code}: ${said.trim()}`);
};

const holderOf = (descriptor: number): LockHolder => {
  const buffer = Buffer.alloc(MARK_BYTES);
  const mark = markIn(buffer.subarray(0, readSync(descriptor, buffer, 0, MARK_BYTES, 0)).toString('latin1'));
  return mark && isAlive(mark) ? { pid: mark.pid } : {};
};

const writeHolder = (descriptor: number): void => {
  const { pid, startTime } = ownMark();
  ftruncateSync(descriptor);
  writeSync(descriptor, `${pid} ${startTime}\n`, 0);
};

/** Locks the folder for as long as this process lives, or until it is closed. `flock`: the program. */
export const lockFolder = async (flock: string, folder: string): Promise<Lock | LockHolder> => {
  const descriptor = openSync(join(folder, 'lock'), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    fchmodSync(descriptor, 0o600);
    if (await lockOpen(flock, descriptor)) {
      writeHolder(descriptor);
      return { close: () => closeSync(descriptor) };
    }
    const holder = holderOf(descriptor);
    closeSync(descriptor);
    return holder;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
};
