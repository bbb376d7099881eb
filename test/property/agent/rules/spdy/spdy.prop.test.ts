import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HEADER_DICTIONARY } from '../../../../../agent/rules/spdy/dictionary.ts';
import {
  decodeFrames,
  encodeFrame,
  type Frame,
  MOST_FRAME_BYTES,
  SpdyFault,
} from '../../../../../agent/rules/spdy/frames.ts';
import { packHeaders } from '../../../../../agent/rules/spdy/headers.ts';
import { createHeaderUnpacker } from '../../../../../agent/server/spdy/unpack-headers.ts';

const id = fc.integer({ min: 0, max: 0x7f_ff_ff_ff });
const word = fc.integer({ min: 0, max: 0xff_ff_ff_ff });
const bytes = fc.uint8Array({ maxLength: 300 }).map((all) => Buffer.from(all));
const withBlock = (kind: 'open' | 'reply' | 'headers') =>
  fc.record({ kind: fc.constant(kind), stream: id, isLast: fc.boolean(), block: bytes });

const frame: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({ kind: fc.constant('data' as const), stream: id, isLast: fc.boolean(), bytes }),
  withBlock('open'),
  withBlock('reply'),
  withBlock('headers'),
  fc.record({ kind: fc.constant('reset' as const), stream: id, status: word }),
  fc.record({ kind: fc.constant('ping' as const), id: word }),
  fc.record({ kind: fc.constant('goAway' as const), lastStream: id, status: word }),
  fc.record({ kind: fc.constant('window' as const), stream: id, delta: id }),
  fc.constant({ kind: 'settings' as const }),
);

/** The bytes in pieces that end anywhere. */
const pieces = (all: Buffer, cuts: readonly number[]): readonly Buffer[] => {
  const ends = [...cuts.map((cut) => cut % (all.length + 1)), all.length].toSorted((a, b) => a - b);
  return ends.map((end, index) => all.subarray(index === 0 ? 0 : ends[index - 1], end));
};

test('frames are read as they were written, however their bytes come', () => {
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 10 }), (frames, cuts) => {
      let rest: Buffer = Buffer.alloc(0);
      const read = pieces(Buffer.concat(frames.map(encodeFrame)), cuts).flatMap((piece) => {
        const decoded = decodeFrames(rest, piece);
        rest = decoded.rest;
        return decoded.frames;
      });
      expect(rest).toHaveLength(0);
      expect(read).toEqual(frames);
    }),
  );
});

test('any bytes are frames, the beginning of one, or a fault; what waits is shorter than a frame may be', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (given) => {
      try {
        const { rest } = decodeFrames(Buffer.alloc(0), Buffer.from(given));
        expect(rest.length).toBeLessThanOrEqual(MOST_FRAME_BYTES + 8);
      } catch (error) {
        expect(error).toBeInstanceOf(SpdyFault);
      }
    }),
  );
});

const headers = fc.dictionary(fc.stringMatching(/^[a-z][a-z-]{0,20}$/), fc.stringMatching(/^[ -~]{0,40}$/), {
  maxKeys: 20,
  noNullPrototype: true,
});

test('headers are unpacked as they were packed, one block after another', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(headers, { minLength: 1, maxLength: 5 }), async (all) => {
      const unpacker = createHeaderUnpacker();
      try {
        for (const [index, one] of all.entries())
          expect(await unpacker.unpack(packHeaders(one, index === 0))).toEqual(one);
      } finally {
        unpacker.close();
      }
    }),
  );
});

test('headers that unpack to too much, or are damaged, are a fault', async () => {
  const bomb = deflateSync(Buffer.alloc(10_000_000), { dictionary: HEADER_DICTIONARY });
  for (const block of [bomb, Buffer.from('nothing')]) {
    const unpacker = createHeaderUnpacker();
    await expect(unpacker.unpack(block)).rejects.toThrow(SpdyFault);
    unpacker.close();
  }
});
