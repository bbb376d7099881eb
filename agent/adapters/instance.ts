/** One agent for a root folder, which tells how it is. A socket does both: it goes with the process, however that ends. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { realpath } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { platform } from 'node:os';
import { join } from 'node:path';
import { NEIGHBOUR } from '../../shared/kube/json/answer-bounds.ts';
import { readBoundedText } from '../../shared/kube/json/bounded-answer.ts';

/** Names of sockets are short, and on Linux need no file. */
const addressOf = async (folder: string): Promise<string> => {
  const digest = createHash('sha256')
    .update(await realpath(folder))
    .digest('hex');
  return platform() === 'linux' ? `\0rollcall-agent-${digest}` : join(folder, 'agent.sock');
};

export interface Instance {
  close(): void;
}

/** Makes this process the agent of the folder. `undefined`: another one is. `status` is asked by `statusOf`. */
export const claimFolder = async (folder: string, status: () => object): Promise<Instance | undefined> => {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(JSON.stringify(status()));
  });
  server.unref();
  const listening = once(server, 'listening');
  server.listen(await addressOf(folder));
  try {
    await listening;
    return { close: () => server.close() };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
    throw error;
  }
};

/** Milliseconds for the whole status. Whoever took the name of the socket first may be slow, and never end. */
const STATUS_MS = 10_000;

/** What the agent of the folder tells about itself; `undefined`: none runs. */
export const statusOf = async (folder: string): Promise<unknown> => {
  const socket = connect({ path: await addressOf(folder), signal: AbortSignal.timeout(STATUS_MS) });
  try {
    await once(socket, 'connect');
    return JSON.parse(await readBoundedText(socket, NEIGHBOUR));
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
};
