/** One agent for a root folder, which tells how it is by a socket in that folder. */
import { once } from 'node:events';
import { chmodSync, closeSync, constants, openSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { NEIGHBOUR } from '../../shared/kube/json/answer-bounds.ts';
import { readBoundedText } from '../../shared/kube/json/bounded-answer.ts';
import { type LockHolder, lockFolder } from './lock.ts';

const SOCKET = 'agent.sock';
/** Source: unix(7) `sun_path`, with the zero byte that ends it. */
const LONGEST_PATH = 107;

interface SocketPlace {
  readonly path: string;
  close(): void;
}

/** A path that is too long for a socket leads through the open folder. */
const placeIn = (folder: string): SocketPlace => {
  const path = join(folder, SOCKET);
  if (Buffer.byteLength(path) <= LONGEST_PATH) return { path, close: () => {} };
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: `/proc/self/fd/${descriptor}/${SOCKET}`, close: () => closeSync(descriptor) };
};

export interface Instance {
  close(): void;
}

const listenAt = async (server: Server, path: string): Promise<void> => {
  // That of an agent that was killed. No other agent has the lock.
  rmSync(path, { force: true });
  const listening = once(server, 'listening');
  server.listen(path);
  await listening;
  chmodSync(path, 0o600);
};

const serveStatus = async (folder: string, status: () => object): Promise<Instance> => {
  const place = placeIn(folder);
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(JSON.stringify(status()));
  });
  server.unref();
  try {
    await listenAt(server, place.path);
  } catch (error) {
    place.close();
    throw error;
  }
  const close = (): void => {
    server.close();
    place.close();
  };
  return { close };
};

/** Makes this process the agent of the folder, unless another one is. `flock`: the program. `status` is asked by `statusOf`. */
export const claimFolder = async (
  flock: string,
  folder: string,
  status: () => object,
): Promise<Instance | LockHolder> => {
  const lock = await lockFolder(flock, folder);
  if (!('close' in lock)) return lock;
  try {
    const served = await serveStatus(folder, status);
    const close = (): void => {
      served.close();
      lock.close();
    };
    return { close };
  } catch (error) {
    lock.close();
    throw error;
  }
};

/** Milliseconds for the whole status. */
const STATUS_MS = 10_000;

const CLOSED = new Set<unknown>(['EACCES', 'EPERM']);

const answerOf = async (socket: Socket): Promise<unknown> => {
  try {
    await once(socket, 'connect');
    return JSON.parse(await readBoundedText(socket, NEIGHBOUR));
  } catch (error) {
    if (CLOSED.has((error as NodeJS.ErrnoException).code)) throw error;
    return undefined;
  } finally {
    socket.destroy();
  }
};

const placeIfThere = (folder: string): SocketPlace | undefined => {
  try {
    return placeIn(folder);
  } catch (error) {
    if (CLOSED.has((error as NodeJS.ErrnoException).code)) throw error;
    return undefined;
  }
};

/** What the agent of the folder tells about itself; `undefined`: none answers. Rejects if this user may not ask. */
export const statusOf = async (folder: string): Promise<unknown> => {
  const place = placeIfThere(folder);
  if (!place) return undefined;
  try {
    return await answerOf(connect({ path: place.path, signal: AbortSignal.timeout(STATUS_MS) }));
  } finally {
    place.close();
  }
};
