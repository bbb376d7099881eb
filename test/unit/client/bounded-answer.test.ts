import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callWebhook } from '../../../shared/adapters/webhook/call.ts';
import * as BOUNDS from '../../../shared/kube/json/answer-bounds.ts';
import {
  AnswerTooLarge,
  boundedLines,
  createValueCount,
  readBounded,
  readBoundedText,
} from '../../../shared/kube/json/bounded-answer.ts';
import { surveyJson } from '../../../shared/kube/json/json-members.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Pieces that are counted when they are asked for. */
const pieces = (parts: readonly (string | Uint8Array)[]) => {
  let taken = 0;
  async function* give(): AsyncGenerator<Uint8Array> {
    for (const part of parts) {
      taken += 1;
      yield typeof part === 'string' ? bytes(part) : part;
    }
  }
  return { stream: give(), taken: () => taken };
};

const TEXTS = [
  '{}',
  '[{},{},[1,2,{"a":[]}]]',
  '{"a,b[{":"x\\"y,{\\\\","c":[1,2]}',
  '["\\\\\\"",{"\\\\":","}]',
  '"only, a [text] {"',
];

describe('values of an answer', () => {
  it.each(TEXTS)('are those that a survey of the whole text finds, wherever pieces end: %s', (text) => {
    const whole = bytes(text);
    for (let size = 1; size <= whole.length; size += 1) {
      const count = createValueCount();
      let values = 0;
      for (let at = 0; at < whole.length; at += size) values = count(whole.subarray(at, at + size));
      expect(values).toBe(surveyJson(text).values);
    }
  });
});

describe('an answer', () => {
  it('is put together from its pieces', async () => {
    const { stream } = pieces(['{"ä', '":', '1}']);
    expect(await readBoundedText(stream, { bytes: 100, values: 10 })).toBe('{"ä":1}');
    expect(await readBoundedText(null, { bytes: 1 })).toBe('');
  });

  it.each([
    ['bytes', { bytes: 10 }, '12345'],
    ['values', { bytes: 1_000, values: 3 }, '{},'],
  ])('with more %s than it may have is not read to its end', async (_, bounds, part) => {
    const { stream, taken } = pieces(Array.from({ length: 100 }, () => part));
    await expect(readBounded(stream, bounds)).rejects.toThrow(AnswerTooLarge);
    expect(taken()).toBeLessThan(5);
  });

  it('has a bound of bytes, whoever gives it', () => {
    for (const bound of Object.values(BOUNDS)) expect(bound.bytes).toBeLessThanOrEqual(256 * 2 ** 20);
  });
});

describe('lines', () => {
  it('are whole, wherever pieces end', async () => {
    const { stream } = pieces([...bytes('ä€😀\n\nzwei\nende')].map((byte) => Uint8Array.of(byte)));
    expect(await Array.fromAsync(boundedLines(stream, { bytes: 10 }))).toEqual(['ä€😀', 'zwei', 'ende']);
  });

  it('that do not end are not kept', async () => {
    const { stream, taken } = pieces(['a\n', ...Array.from({ length: 100 }, () => 'bbbbb')]);
    await expect(Array.fromAsync(boundedLines(stream, { bytes: 10 }))).rejects.toThrow(AnswerTooLarge);
    expect(taken()).toBeLessThan(6);
  });
});

const listening = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

describe('a service of the operator', () => {
  it.each([
    ['of many bytes', Buffer.alloc(BOUNDS.SERVICE.bytes + 1, ' '), 'bytes'],
    ['of many values', Buffer.from(`[${'{},'.repeat(130_000)}{}]`), 'values'],
  ])('is refused an answer %s, also one that was compressed', async (_, body, what) => {
    const plain = await listening((_request, response) => void response.end(body));
    const packed = await listening((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(body));
    });
    for (const url of [plain, packed])
      await expect(callWebhook({ url, token: async () => undefined }, {})).rejects.toThrow(
        `more than ${BOUNDS.SERVICE[what as 'bytes']} ${what}`,
      );
  });
});
