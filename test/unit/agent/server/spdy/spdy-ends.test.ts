/** How streams of SPDY end when the other side resets them. */
import { duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createSpdyConnection } from '../../../../../agent/server/spdy/connection.ts';
import type { SpdyStream } from '../../../../../agent/server/spdy/stream.ts';

describe('a stream that the other side resets', () => {
  const connected = () => {
    const [near, far] = duplexPair();
    const theirs = Promise.withResolvers<SpdyStream>();
    createSpdyConnection(far, { onStream: theirs.resolve });
    const client = createSpdyConnection(near, { isClient: true, onStream: (stream) => stream.destroy() });
    return { mine: client.open({ streamtype: 'error' }), theirs: theirs.promise, far };
  };

  it('has what was sent before, if we have opened the connection', async () => {
    const { mine, theirs } = connected();
    const stream = await theirs;
    stream.write('{"status":"Success"}', () => stream.destroy());
    expect(await text(mine)).toBe('{"status":"Success"}');
  });

  it('has what was sent before the connection ended', async () => {
    const { mine, theirs, far } = connected();
    const stream = await theirs;
    stream.write('last words', () => far.end());
    expect(await text(mine)).toBe('last words');
  });

  it('is lost, if the other side has opened the connection', async () => {
    const { mine, theirs } = connected();
    const stream = await theirs;
    const closed = new Promise((resolve) => {
      stream.once('close', resolve);
    });
    mine.destroy();
    await closed;
    expect(stream.destroyed).toBe(true);
  });
});
