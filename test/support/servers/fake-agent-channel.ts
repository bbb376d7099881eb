/** The agent's end of a channel, which gives the streams to a fake node's server. */
import { once } from 'node:events';
import { createWebSocketStream, WebSocket } from 'ws';
import type { FakeNodeServer } from './fake-node-server.ts';

export interface FakeChannel {
  readonly streams: readonly WebSocket[];
  readonly socket: WebSocket;
  close(): void;
}

export interface FakeChannelOptions {
  /** `https://…/nodes/NAME/channel`. */
  readonly url: string;
  readonly token?: string;
  readonly ca?: string;
  /** Does not open the streams that it is asked for. */
  readonly isLazy?: boolean;
}

/** Resolves when the channel is open. */
export const openFakeChannel = async (
  node: FakeNodeServer,
  { url, token = '', ca, isLazy = false }: FakeChannelOptions,
): Promise<FakeChannel> => {
  const options = { headers: { authorization: `Bearer ${token}` }, ...(ca === undefined ? {} : { ca }) };
  const socket = new WebSocket(url, options);
  const streams: WebSocket[] = [];
  socket.on('message', (data) => {
    if (isLazy) return;
    const { open } = JSON.parse((data as Buffer).toString()) as { readonly open: string };
    const stream = new WebSocket(`${url}/${open}`, options);
    streams.push(stream);
    stream.on('error', () => undefined);
    const connection = createWebSocketStream(stream, { allowHalfOpen: false });
    stream.once('close', () => connection.destroy());
    node.connect(connection.on('error', () => undefined));
  });
  await once(socket, 'open');
  socket.on('error', () => undefined);
  return {
    socket,
    streams,
    close: () => {
      for (const one of [socket, ...streams]) one.terminate();
    },
  };
};
