/** What a connection of port-forward keeps of streams that have no second one. */
import { once } from 'node:events';
import { duplexPair, PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSpdyConnection, type SpdyConnection } from '../../../../../agent/server/spdy/connection.ts';
import { forwardPorts } from '../../../../../agent/server/spdy/forward-ports.ts';
import type { SpdyStream } from '../../../../../agent/server/spdy/stream.ts';

let client: SpdyConnection;
let session: Promise<void>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const [near, far] = duplexPair();
  session = forwardPorts(far, { dial: async () => new PassThrough() }, 'd/p');
  client = createSpdyConnection(near, { isClient: true, onStream: (stream) => stream.destroy() });
});
afterEach(async () => {
  client.end();
  await session;
  vi.useRealTimers();
});

const open = (streamtype: string, requestid: string): SpdyStream =>
  client.open({ streamtype, requestid, port: '80' });

/** The other side takes frames in turn, so what was sent before has been taken. */
const forwarded = async (requestid: string): Promise<string> => {
  open('error', requestid);
  const data = open('data', requestid);
  data.end('echo');
  return text(data);
};

describe('a pair of streams', () => {
  it('is not begun by a stream that is refused', async () => {
    const refused = [open('other', '1'), open('data', 'x'.repeat(129))];
    await Promise.all(refused.map((stream) => once(stream.resume(), 'end')));
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is forgotten when its only stream is reset', async () => {
    open('data', '1').destroy();
    expect(await forwarded('2')).toBe('echo');
    expect(vi.getTimerCount()).toBe(0);
    expect(await forwarded('1')).toBe('echo');
  });

  it('is given up after 30 s', async () => {
    const alone = open('data', '1').resume();
    expect(await forwarded('2')).toBe('echo');
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(30_000);
    await once(alone, 'end');
  });
});
