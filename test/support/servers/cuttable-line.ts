import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A line of TCP between this process and a server, which can be cut. */
export interface CuttableLine {
  readonly port: number;
  cut(): void;
  restore(): void;
  close(): Promise<void>;
}

/** Forwards connections to `port` of this machine. */
export const startCuttableLine = async (port: number): Promise<CuttableLine> => {
  const sockets = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((near) => {
    keep(near);
    if (isCut) return near.destroy();
    const far = connect({ host: '127.0.0.1', port });
    keep(far);
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    return undefined;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    cut: () => {
      isCut = true;
      cutAll();
    },
    restore: () => {
      isCut = false;
    },
    close: async () => {
      server.close();
      cutAll();
      await once(server, 'close');
    },
  };
};
