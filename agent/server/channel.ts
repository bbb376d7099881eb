/**
 * The agent's end of a channel: where the control plane cannot connect to the machine, the machine connects to it, and opens a stream for each
 * connection that is asked for. What comes by a stream is given to the agent's server as if it had come to its port.
 */
import { type Duplex, finished } from 'node:stream';
import { createWebSocketStream, type WebSocket } from 'ws';
import type { Log } from '../ports/machine/shutdown.ts';
import type { ChannelCall } from '../rules/registration/channel-call.ts';

export interface ChannelDeps {
  /** Connects as this node. `stream`: the id of one; absent: the channel itself. Rejects if it cannot. */
  connect(call: ChannelCall, stream?: string): Promise<WebSocket>;
  accept(connection: Duplex): void;
  readonly log: Log;
}

export interface ChannelKeeper {
  /** Opens the channel, once for each id. One that is open already goes on as long as it is used. */
  call(call: ChannelCall): void;
  close(): void;
}

/** Streams of one channel at a time. */
const MOST_STREAMS = 256;
/** How long a channel stays without a stream (ms). */
const IDLE_MS = 5 * 60_000;
/** The control plane pings each 30 s: without one for so long, it is gone (ms). */
const SILENCE_MS = 100_000;
const STREAM_ID = /^[\w-]{1,128}$/;

const streamIn = (data: Buffer): string | undefined => {
  try {
    const { open } = JSON.parse(data.toString()) as { readonly open?: unknown };
    return typeof open === 'string' && STREAM_ID.test(open) ? open : undefined;
  } catch {
    return undefined;
  }
};

/** Calls back when it was not started again for so long. */
const watchdog = (ms: number, bite: () => void) => {
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => clearTimeout(timer);
  return {
    stop,
    start: () => {
      stop();
      timer = setTimeout(bite, ms);
    },
  };
};

/** Serves a channel until it ends. */
const serve = (channel: WebSocket, call: ChannelCall, { connect, accept, log }: ChannelDeps): void => {
  const streams = new Set<WebSocket>();
  const silence = watchdog(SILENCE_MS, () => channel.terminate());
  const idle = watchdog(IDLE_MS, () => channel.close());
  const opened = (socket: WebSocket): void => {
    streams.add(socket);
    idle.stop();
    const stream = createWebSocketStream(socket, { allowHalfOpen: false });
    finished(stream, () => {
      streams.delete(socket);
      if (streams.size === 0 && channel.readyState === channel.OPEN) idle.start();
    });
    accept(stream);
  };
  channel.on('message', (data: Buffer) => {
    const id = streamIn(data);
    if (id === undefined || streams.size >= MOST_STREAMS) return;
    connect(call, id).then(opened, (error: unknown) =>
      log('a stream of the channel could not be opened', error),
    );
  });
  channel.on('ping', silence.start);
  // Streams that go on need no channel.
  channel.once('close', () => {
    silence.stop();
    idle.stop();
  });
  silence.start();
  idle.start();
};

export const createChannelKeeper = (deps: ChannelDeps): ChannelKeeper => {
  let last = '';
  let isClosed = false;
  const channels = new Set<WebSocket>();
  const open = async (call: ChannelCall): Promise<void> => {
    const channel = await deps.connect(call);
    if (isClosed) return channel.terminate();
    channels.add(channel);
    channel.once('close', () => channels.delete(channel));
    serve(channel, call, deps);
  };
  return {
    call: (call) => {
      if (call.id === last || isClosed) return;
      last = call.id;
      open(call).catch((error: unknown) =>
        deps.log('the channel to the control plane could not be opened', error),
      );
    },
    close: () => {
      isClosed = true;
      for (const channel of channels) channel.terminate();
    },
  };
};
