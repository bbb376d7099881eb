/** Logs of process containers, and streams to them. */
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ContainerStreams } from '../../../ports/machine/container-streams.ts';
import type { Parts } from '../lifecycle/parts.ts';
import { readContainer } from '../processes/records.ts';
import { attach } from './attach.ts';
import { execPlan, placeOf } from './exec-plan.ts';
import { execStream } from './exec-stream.ts';

/** Both outputs of a container are one file. */
const logPathOf = (parts: Parts, id: string): string | undefined => {
  const place = placeOf(parts, id);
  return place && readContainer(place)?.logFile;
};

/** How long the program of a port may take to answer (ms). */
const CONNECT_MS = 10_000;

const dial = (port: number, host = '127.0.0.1'): Promise<Duplex> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host, allowHalfOpen: true, noDelay: true, timeout: CONNECT_MS });
    socket.once('timeout', () => socket.destroy(new Error(`connect ETIMEDOUT ${host}:${port}`)));
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('error', reject);
      resolve(socket);
    });
  });

export const createProcessStreams = (parts: Parts): ContainerStreams => ({
  log: async (id) => {
    const path = logPathOf(parts, id);
    return path === undefined ? undefined : { path, format: 'plain' };
  },
  exec: async (id, command, wanted) => {
    const { terminal } = parts.tools;
    if (wanted.tty && !terminal)
      throw new Error(
        'this machine has no terminals for commands: the programs script and stty are not there',
      );
    return execStream(await execPlan(parts, id), command, wanted, terminal);
  },
  attach: (id, wanted) => attach(parts, id, wanted),
  // Containers use the network of the machine. Programs that listen on IPv6 alone are reached, too.
  forward: async () => ({ dial: (port) => dial(port).catch(() => dial(port, '::1')) }),
});
