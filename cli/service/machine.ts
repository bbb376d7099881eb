/** What the installation of a service asks of its machine. */
import { execFile } from 'node:child_process';
import { chown, mkdir, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { createSystemd } from '../../agent/adapters/systemd.ts';
import type { ServiceManager } from '../../agent/ports/machine/service-manager.ts';
import { isExecutable } from '../../bundling/heap.ts';
import { CommandError } from '../shell/command.ts';
import { serviceProgram } from './program.ts';

/** A user of the machine. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

export interface ServiceMachine {
  readonly systemd: ServiceManager;
  /** How this program is started. Throws a `CommandError` if it lies where it does not stay. */
  program(): readonly string[];
  /** The user of this name. A user that is not there is made, without a password and a shell. */
  account(name: string, home: string): Promise<Account>;
  mayRead(account: Account, path: string): Promise<boolean>;
  /** Makes the folder, for this user alone. Throws a `CommandError` if it is there and others may use it. */
  makeFolder(account: Account, folder: string): Promise<void>;
}

const execute = promisify(execFile);

const idOf = async (name: string): Promise<Account | undefined> => {
  const ask = async (flag: string): Promise<number> =>
    Number((await execute('id', [flag, '--', name])).stdout);
  try {
    return { name, uid: await ask('-u'), gid: await ask('-g') };
  } catch {
    return undefined;
  }
};

const account = async (name: string, home: string): Promise<Account> => {
  const known = await idOf(name);
  if (known) return known;
  // Does nothing if the user is there. Source: sysusers.d(5).
  await execute('systemd-sysusers', ['--inline', `u ${name} - "Rollcall" "${home}"`]);
  const made = await idOf(name);
  if (made) return made;
  throw new CommandError(`the user ${name} cannot be made: make it with "useradd --system ${name}"`);
};

/** Asked of the kernel as that user, because modes, groups and access lists of all folders on the way count. */
const mayRead = async ({ uid, gid }: Account, path: string): Promise<boolean> => {
  try {
    await execute('/bin/sh', ['-c', 'test -r "$1"', 'sh', path], { uid, gid, cwd: '/' });
    return true;
  } catch {
    return false;
  }
};

const OTHERS = 0o077;

const makeFolder = async ({ name, uid, gid }: Account, folder: string): Promise<void> => {
  const isNew = (await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined;
  if (isNew) await chown(folder, uid, gid);
  const { uid: owner, mode } = await stat(folder);
  if (owner !== uid)
    throw new CommandError(
      `${folder} is another user's: chown -R ${name}: ${folder}, or give another folder`,
    );
  if ((mode & OTHERS) !== 0)
    throw new CommandError(`others may look into ${folder}, where keys are kept: chmod 700 ${folder}`);
};

/** This machine, for the service of this name. */
export const serviceMachine = (service: string): ServiceMachine => ({
  systemd: createSystemd(service),
  program: () => serviceProgram(process, isExecutable()),
  account,
  mayRead,
  makeFolder,
});
