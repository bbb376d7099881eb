/** Connections to containers that are closed at once. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { connectText } from './connect-text.ts';

/** Rejects with Go's text if the port cannot be reached in time. */
export const tcpConnect = async (host: string, port: number, timeoutMs: number): Promise<void> => {
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const socket = connect({ host, port });
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    await once(socket, 'connect', { signal });
  } catch (error) {
    throw new Error(signal.aborted ? `dial tcp ${address}: i/o timeout` : connectText(error, address));
  } finally {
    socket.destroy();
  }
};
