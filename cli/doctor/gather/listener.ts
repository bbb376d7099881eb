/** Who listens on a port of this machine. */
import { readdir, readFile, readlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { bounded } from './bounded.ts';

const WITHIN_MS = 2_000;
/** State of a listening socket in `/proc/net/tcp`. */
const LISTEN = '0A';

const isTaken = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (taken: boolean) => (): void => {
      socket.destroy();
      resolve(taken);
    };
    socket.on('connect', end(true)).on('error', end(false)).setTimeout(WITHIN_MS, end(false));
  });

const inodesOf = async (port: number): Promise<ReadonlySet<string>> => {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'utf8').catch(() => '')),
  );
  const rows = tables.flatMap((text) => text.split('\n')).map((line) => line.trim().split(/\s+/));
  const ours = rows.filter(([, local = '', , state]) => state === LISTEN && local.endsWith(`:${hex}`));
  return new Set(ours.map((row) => `socket:[${row[9]}]`));
};

const hasSocket = async (pid: string, inodes: ReadonlySet<string>): Promise<boolean> => {
  const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
  for (const file of files)
    if (inodes.has(await readlink(`/proc/${pid}/fd/${file}`).catch(() => ''))) return true;
  return false;
};

const ownerOf = async (port: number): Promise<string> => {
  const inodes = await inodesOf(port);
  if (inodes.size === 0) return '';
  const processes = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const pid of processes)
    if (await hasSocket(pid, inodes)) {
      const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
      return `${name.trim()} (process ${pid})`;
    }
  return '';
};

/** `nginx (process 12)`; empty: somebody whom this user cannot see; `undefined`: nobody. */
export const listenerOf = async (host: string, port: number): Promise<string | undefined> => {
  if (!(await isTaken(host, port))) return undefined;
  return (await bounded(ownerOf(port), WITHIN_MS)) ?? '';
};
