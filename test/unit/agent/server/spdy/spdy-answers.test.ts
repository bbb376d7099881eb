/** Answers of a SPDY connection to a client that does not read them. */
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { encodeFrame, type Frame } from '../../../../../agent/rules/spdy/frames.ts';
import { packHeaders } from '../../../../../agent/rules/spdy/headers.ts';
import { createSpdyConnection } from '../../../../../agent/server/spdy/connection.ts';

/** A connection whose other side sends the frames, and takes nothing. */
const deaf = (frames: readonly Frame[]) => {
  const left = frames.map(encodeFrame);
  const socket = new Duplex({
    read: () => void setImmediate().then(() => socket.push(left.shift() ?? Buffer.alloc(0))),
    write: () => {},
  });
  return { socket, left };
};

const pings = Array.from({ length: 1000 }, (): Frame => ({ kind: 'ping', id: 1 }));
const openings = Array.from(
  { length: 1000 },
  (_, at): Frame => ({
    kind: 'open',
    stream: 2 * at + 1,
    isLast: false,
    block: packHeaders({}, at === 0),
  }),
);

it.each([
  ['pings', pings],
  ['streams that are refused', openings],
])('a client that does not read is not read either: %s', async (_, frames) => {
  const { socket, left } = deaf(frames);
  const { closed } = createSpdyConnection(socket, { onStream: (stream) => stream.destroy() });
  while (left.length > 0) await setImmediate();
  for (let turn = 0; turn < 200; turn += 1) await setImmediate();
  expect(socket.writableLength).toBeLessThan(4000);
  socket.destroy();
  await once(socket, 'close');
  await closed;
});
