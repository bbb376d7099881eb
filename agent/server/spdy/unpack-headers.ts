/** Unpacks the headers of a SPDY connection, which are one stream of zlib. */
import { createInflate } from 'node:zlib';
import { HEADER_DICTIONARY } from '../../rules/spdy/dictionary.ts';
import { SpdyFault } from '../../rules/spdy/frames.ts';
import { decodeHeaders, type Headers } from '../../rules/spdy/headers.ts';

/** Most bytes of the headers of one frame: few bytes may unpack to many. */
const MOST_BYTES = 64 * 1024;

export interface HeaderUnpacker {
  /** One block at a time. Rejects with a `SpdyFault`. */
  unpack(block: Uint8Array): Promise<Headers>;
  close(): void;
}

export const createHeaderUnpacker = (): HeaderUnpacker => {
  const inflate = createInflate({ dictionary: HEADER_DICTIONARY });
  let chunks: Buffer[] = [];
  let size = 0;
  let fail: (error: Error) => void = () => {};
  inflate.on('error', () => fail(new SpdyFault('headers cannot be unpacked')));
  inflate.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MOST_BYTES) chunks.push(chunk);
    else {
      fail(new SpdyFault('headers unpack to too much'));
      inflate.destroy();
    }
  });
  const bytesOf = (block: Uint8Array): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      [chunks, size, fail] = [[], 0, reject];
      inflate.write(block);
      inflate.flush(() => resolve(Buffer.concat(chunks)));
    });
  return { unpack: async (block) => decodeHeaders(await bytesOf(block)), close: () => inflate.destroy() };
};
