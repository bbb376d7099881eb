/** Connects to ports of programs that use the network of the machine. */
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';

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

/** Programs that listen on IPv6 alone are reached, too. */
export const dialMachine = (port: number): Promise<Duplex> => dial(port).catch(() => dial(port, '::1'));
