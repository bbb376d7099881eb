/** The root folder of an agent: it is the agent's alone, and has tokens and Secrets below it. */
import { chmod, mkdir, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TOKEN_FILE } from '../../agent/adapters/token-file.ts';
import { CommandError, reasonOf } from '../shell/command.ts';

const CLOSED = 0o700;
/** What agents make: a folder with one of these was an agent's before. */
const OF_AGENTS = new Set([TOKEN_FILE, 'lock', 'runtime']);

/** In the first folder of a disk, which may be the agent's alone. */
const OF_A_DISK = 'lost+found';

/** The owner of a folder can open it to others again, and exchange what is in it. */
const checkOwner = (folder: string, owner: number, own = process.getuid?.()): void => {
  if (own === undefined || owner === own) return;
  throw new CommandError(
    `the folder ${folder} belongs to the user ${owner}, not to that of the agent (${own}): run "chown ${own}" on it, or give another one with --root-dir`,
    2,
  );
};

/** A folder that was there may be a user's own, whose other files must stay readable for whom they are. */
const close = async (folder: string): Promise<void> => {
  const { mode, uid } = await stat(folder);
  checkOwner(folder, uid);
  if ((mode & 0o7777) === CLOSED) return;
  const names = (await readdir(folder)).filter((name) => name !== OF_A_DISK);
  if (names.length > 0 && !names.some((name) => OF_AGENTS.has(name)))
    throw new CommandError(
      `the folder ${folder} can be opened by other users and has files in it: give one of the agent's own with --root-dir, or run "chmod 700" on it`,
      2,
    );
  await chmod(folder, CLOSED);
};

/** Bytes. A token that cannot be stored is lost with the bootstrap token that was paid for it, so there has to be room for what is written first. */
const ROOM = 65_536;

const tryToWrite = async (folder: string): Promise<void> => {
  const file = join(folder, '.try');
  try {
    await rm(file, { force: true });
    await writeFile(file, Buffer.alloc(ROOM, 1), { mode: 0o600, flag: 'wx' });
    await rm(file);
  } catch (error) {
    await rm(file, { force: true }).catch(() => undefined);
    throw new CommandError(
      `cannot write to the folder ${folder}: ${reasonOf(error)}. Make room, make it writable, or give another folder with --root-dir; pods that run go on`,
    );
  }
};

/** Makes the folder, tries whether it has room, and closes it to others. All that belongs to an agent is named after its folder, so it has one name, whatever links lead to it. */
export const makeRootFolder = async (given: string): Promise<string> => {
  try {
    await mkdir(given, { recursive: true, mode: CLOSED });
    const folder = await realpath(given);
    await tryToWrite(folder);
    await close(folder);
    return folder;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(
      `cannot make the folder ${given}: ${reasonOf(error)}. Run the agent as root, or give another folder with --root-dir`,
    );
  }
};
